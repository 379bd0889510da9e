import base64
import binascii
import struct

raw = bytes(range(0, 256, 17))
packed = struct.pack("<IhbB?3sd", 7, -2, -1, 255, True, b"abc", 0.5)
return {
    "b64": base64.b64encode(raw).decode(),
    "url": base64.urlsafe_b64encode(raw + b"\xff\xfe").decode(),
    "b32": base64.b32encode(b"hello").decode(),
    "b85": base64.b85encode(b"hello world").decode(),
    "hex": raw.hex(" ", 4),
    "back": list(base64.b64decode("AAECAw==")),
    "unhex": bytes.fromhex("dead beef").hex(),
    "binascii": binascii.hexlify(b"xyz").decode(),
    "struct": [packed.hex(), list(struct.unpack("<Ih", packed[:6])), struct.calcsize(">Qd")],
    "ints": [int.from_bytes(b"\x01\x00", "big"), (1000).to_bytes(4, "little").hex(), int.from_bytes(b"\xff", signed=True)],
    "text": b"caf\xc3\xa9".decode(),
    "errors": [b"\xff\xfea".decode("utf-8", "replace"), b"\xe9".decode("latin-1"), "é".encode("ascii", "xmlcharrefreplace").decode()],
    "methods": [b"a,b".split(b",")[1].decode(), bytearray(b"abc").replace(b"b", b"XX").decode(), list(memoryview(b"abcdef")[1:4:2])],
}
