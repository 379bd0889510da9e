import gzip
import io
import pickle
import zipfile
import zlib

data = b"abc" * 1000
packed = zlib.compress(data, 9)
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "hello")
    z.writestr("dir/b.txt", data)
with zipfile.ZipFile(io.BytesIO(buffer.getvalue())) as z:
    names, text = z.namelist(), z.read("a.txt").decode()


class Thing:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


again = pickle.loads(pickle.dumps({"t": Thing([1, 2]), "n": 5}))
return {"ratio": len(packed) < 100, "same": zlib.decompress(packed) == data, "gzip": gzip.decompress(gzip.compress(b"xyz", mtime=0)).decode(), "names": names, "text": text, "pickle": [again["t"].x, again["t"] == Thing([1, 2])]}
