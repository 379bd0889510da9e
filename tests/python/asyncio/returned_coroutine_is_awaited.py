# reports 5
# returns: 7
async def main():
    return 7
return main()
