import textwrap

text = "The quick brown fox jumps over the lazy dog. Pack my box with five dozen liquor jugs. How vexingly quick daft zebras jump!"
wrapped = textwrap.wrap(text, width=30)
for line in wrapped:
    print(f"|{line:<30}|")
block = """
    def f():
        return 1
"""
return {
    "wrap": wrapped,
    "fill": textwrap.fill(text, width=40, initial_indent="* ", subsequent_indent="  "),
    "short": textwrap.shorten(text, width=32, placeholder=" ..."),
    "dedent": textwrap.dedent(block),
    "indent": textwrap.indent("a\n\nb", "> ", lambda line: True),
    "long": textwrap.wrap("supercalifragilistic word", width=10),
}
