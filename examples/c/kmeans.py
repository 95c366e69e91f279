"""The gradient of k-means in Python: the C file that catadiff prints, compiled and called with ctypes.

    catadiff emit kmeans.fut -e cost --derivative grad --wrt centres --name cost_gradient --to .
    cc -O2 -march=native -std=c11 -ffp-contract=off -shared -fPIC -o libkmeans.so cost_gradient.c
    python3 kmeans.py ./libkmeans.so
"""

import ctypes
import sys
from array import array

library = ctypes.CDLL(sys.argv[1])
size, status = ctypes.c_int64, ctypes.c_int
library.cost_gradient_workspace.restype = size


def address(numbers):
    return ctypes.c_void_p(numbers.buffer_info()[0])


def gradient(points, centres, dimensions):
    """The derivative of the cost by the centres, both as flat arrays of doubles."""
    sizes = [size(len(points) // dimensions), size(dimensions), size(len(centres) // dimensions), size(dimensions)]
    bytes_needed = size(library.cost_gradient_workspace(*sizes))
    # The workspace begins at a multiple of 64.
    memory = ctypes.create_string_buffer(bytes_needed.value + 64)
    start = (ctypes.addressof(memory) + 63) // 64 * 64
    result, result_sizes = array("d", bytes(8 * len(centres))), (size * 2)()
    failed = library.cost_gradient(
        address(points), sizes[0], sizes[1], address(centres), sizes[2], sizes[3],
        address(result), size(len(result)), result_sizes,
        ctypes.c_void_p(start), ctypes.byref(bytes_needed),
    )
    if failed:
        raise ValueError(f"the function returns {failed}: see its header")
    return result


points = array("d", [0.0, 0.0, 1.0, 0.5, 4.0, 4.0, 5.0, 3.0])
centres = array("d", [0.5, 0.0, 4.0, 3.0])
found = gradient(points, centres, 2)
print(list(found))
# 2 Σ (centre − point) over the points that are nearest to a centre.
assert list(found) == [0.0, -1.0, -2.0, -2.0], found
