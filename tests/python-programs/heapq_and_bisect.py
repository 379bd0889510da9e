import bisect
import heapq

jobs = []
for priority, name in [(3, "low"), (1, "urgent"), (2, "mid"), (1, "also urgent")]:
    heapq.heappush(jobs, (priority, name))
order = []
while jobs:
    order.append(heapq.heappop(jobs)[1])
grades = [50, 60, 70, 80]
letters = "FDCBA"
nums = [5, 1, 9, 3, 7]
heapq.heapify(nums)
sorted_list = []
for n in [5, 2, 8, 2, 9]:
    bisect.insort(sorted_list, n)
return {
    "order": order,
    "grades": [letters[bisect.bisect(grades, g)] for g in [45, 60, 79.9, 80, 99]],
    "largest": heapq.nlargest(2, [4, 8, 1, 9]),
    "smallest": heapq.nsmallest(2, [{"n": 4}, {"n": 1}, {"n": 3}], key=lambda d: d["n"]),
    "merge": list(heapq.merge([1, 4, 7], [2, 5], [0, 9])),
    "replace": [heapq.heapreplace(nums, 10), heapq.heappushpop(nums, 0), sorted(nums)],
    "sorted": sorted_list,
    "left_right": [bisect.bisect_left(sorted_list, 2), bisect.bisect_right(sorted_list, 2)],
    "key": bisect.bisect_left([("a", 1), ("b", 5)], 3, key=lambda p: p[1]),
}
