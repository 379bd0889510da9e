from urllib.parse import parse_qs, parse_qsl, quote, quote_plus, unquote, urlencode, urljoin, urlparse, urlsplit, urlunparse

url = "https://user:pw@example.com:8443/a%20b/c;p?q=1&q=2&empty=&x=y+z#frag"
parts = urlparse(url)
query = parse_qs(parts.query, keep_blank_values=True)
query["page"] = ["3"]
return {
    "host": [parts.scheme, parts.hostname, parts.port, parts.username, parts.path, parts.fragment],
    "query": query,
    "pairs": parse_qsl(parts.query),
    "rebuilt": urlunparse(parts._replace(query=urlencode(query, doseq=True))),
    "quote": [quote("a b/ü?"), quote("a/b", safe=""), quote_plus("a b&c"), unquote("%C3%BC+x")],
    "join": [urljoin("https://x.org/a/b/c", "../d?e"), urljoin("https://x.org/a", "//y.org/z")],
    "split": urlsplit("http://h/p?a=b").query,
}
