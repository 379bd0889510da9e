# SPEC A5
# returns: 9999
a = 0
for _ in range(9_999):
    a = [a]
back = await tools.echo(a)
depth = 0
while back != 0:
    back = back[0]
    depth += 1
return depth
