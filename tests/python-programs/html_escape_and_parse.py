import html
from html.parser import HTMLParser

page = """<html><body><h1>List &amp; more</h1><ul id="l"><li class=a>One</li><li>Two <b>bold</b></li></ul>
<a href="/x?y=1&amp;z=2">link</a><!-- note --><br/><img src='i.png' alt="An image"></body></html>"""


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.text, self.depth, self.max_depth, self.comments = [], [], 0, 0, []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in ("a", "img"):
            self.links.append(attrs.get("href") or attrs.get("src"))
        if tag not in ("br", "img"):
            self.depth += 1
            self.max_depth = max(self.depth, self.max_depth)

    def handle_endtag(self, tag):
        if tag not in ("br", "img"):
            self.depth -= 1

    def handle_data(self, data):
        if data.strip():
            self.text.append(data.strip())

    def handle_comment(self, data):
        self.comments.append(data.strip())


parser = Links()
parser.feed(page)
parser.close()
return {"links": parser.links, "text": parser.text, "depth": [parser.depth, parser.max_depth], "comments": parser.comments, "escape": html.escape('<a href="x">\'q\'&</a>'), "unescape": html.unescape("&lt;&eacute;&#8364;&#x1F600;&nbsp;&unknown;")}
