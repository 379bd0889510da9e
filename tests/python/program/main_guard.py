# SPEC H3
# returns: 1
if __name__ == "__main__":
    return 1
