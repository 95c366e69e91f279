// The gradient of k-means in C++: the C file that catadiff prints, linked into a program.
//
//     catadiff emit kmeans.fut -e cost --derivative grad --wrt centres --name cost_gradient --to .
//     cc -O2 -march=native -std=c11 -ffp-contract=off -c cost_gradient.c
//     c++ -std=c++17 -I. kmeans.cpp cost_gradient.o -o kmeans && ./kmeans

#include "cost_gradient.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

// The derivative of the cost by the centres; points and centres lie row after row.
static std::vector<double> gradient(const std::vector<double> &points, const std::vector<double> &centres, int64_t dimensions) {
    const int64_t n = static_cast<int64_t>(points.size()) / dimensions, k = static_cast<int64_t>(centres.size()) / dimensions;
    int64_t bytes = cost_gradient_workspace(n, dimensions, k, dimensions);
    const std::unique_ptr<void, decltype(&std::free)> workspace(std::aligned_alloc(64, static_cast<size_t>(bytes + 63) / 64 * 64 + 64), std::free);
    std::vector<double> result(centres.size());
    int64_t sizes[2];
    const int status = cost_gradient(points.data(), n, dimensions, centres.data(), k, dimensions, result.data(),
                                     static_cast<int64_t>(result.size()), sizes, workspace.get(), &bytes);
    if (status != CATADIFF_DONE) throw std::runtime_error("see the header for what the status says");
    return result;
}

int main() {
    const std::vector<double> found = gradient({0.0, 0.0, 1.0, 0.5, 4.0, 4.0, 5.0, 3.0}, {0.5, 0.0, 4.0, 3.0}, 2);
    for (double x : found) std::printf("%g\n", x);
    if (found != std::vector<double>{0.0, -1.0, -2.0, -2.0}) return 1;
    return 0;
}
