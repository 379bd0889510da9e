# SPEC A2
# fails: invalid-output, result["a b"][0][""] is a set
return {"a b": [{"": {1}}]}
