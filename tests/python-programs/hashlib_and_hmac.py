import base64
import hashlib
import hmac
import zlib

data = "payload ✓".encode()
digest = hashlib.sha256()
for i in range(0, len(data), 4):
    digest.update(data[i : i + 4])
return {
    "md5": hashlib.md5(data).hexdigest(),
    "sha1": hashlib.sha1(data).hexdigest(),
    "sha256": digest.hexdigest(),
    "sha512": hashlib.sha512(data).hexdigest()[:32],
    "sha3": hashlib.sha3_256(data).hexdigest(),
    "blake2b": hashlib.blake2b(data, digest_size=8).hexdigest(),
    "hmac": hmac.new(b"key", data, hashlib.sha256).hexdigest(),
    "b64": base64.b64encode(hashlib.md5(data).digest()).decode(),
    "new": hashlib.new("sha224", data).hexdigest()[:16],
    "crc": zlib.crc32(data),
    "adler": zlib.adler32(data),
    "equal": hmac.compare_digest("a", "a"),
}
