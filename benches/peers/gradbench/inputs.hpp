// The inputs of the benchmark's functions, and how their outputs are written.
#pragma once

#include <memory>

#include "functions.hpp"
#include "inner.hpp"

namespace inputs {

struct Gmm {
    int d, k, n, m;
    double gamma;
    Vector mixture, x; // alpha, mu, q, l

    explicit Gmm(const Json &in)
        : d(in["d"].integer()), k(in["k"].integer()), n(in["n"].integer()), m(in["m"].integer()),
          gamma(in["gamma"].number()), x(in["x"].numbers) {
        for (auto name : {"alpha", "mu", "q", "l"}) {
            mixture.insert(mixture.end(), in[name].numbers.begin(), in[name].numbers.end());
        }
    }

    template <typename T> T objective(const T *z) const {
        return functions::gmm(d, k, n, z, z + k, z + k + k * d, z + k + 2 * k * d, x.data(), m, gamma);
    }

    void write(const double *g) const {
        size_t K = k, D = d;
        std::printf("{\"alpha\":");
        print(g, {K});
        std::printf(",\"mu\":");
        print(g + K, {K, D});
        std::printf(",\"q\":");
        print(g + K + K * D, {K, D});
        std::printf(",\"l\":");
        print(g + K + 2 * K * D, {K, D * (D - 1) / 2});
        std::printf("}");
    }
};

struct Ba {
    int n, m, p;
    Vector cameras, points, weights, features;

    explicit Ba(const Json &in) : n(in["n"].integer()), m(in["m"].integer()), p(in["p"].integer()) {
        auto repeated = [&](const char *name, int times, Vector &all) {
            for (int i = 0; i < times; i++) all.insert(all.end(), in[name].numbers.begin(), in[name].numbers.end());
        };
        repeated("cam", n, cameras);
        repeated("x", m, points);
        repeated("w", p, weights);
        repeated("feat", p, features);
    }

    void objective(double *errors, double *of_weights) const {
        for (int i = 0; i < p; i++) {
            functions::reprojection(&cameras[11 * (i % n)], &points[3 * (i % m)], weights[i], &features[2 * i],
                                    errors + 2 * i);
        }
        for (int i = 0; i < p; i++) of_weights[i] = 1 - weights[i] * weights[i];
    }

    // The arguments of an observation: camera, point, weight.
    void arguments(int i, double *z) const {
        std::copy_n(&cameras[11 * (i % n)], 11, z);
        std::copy_n(&points[3 * (i % m)], 3, z + 11);
        z[14] = weights[i];
    }

    void write_errors(const double *errors, const double *of_weights) const {
        std::printf("{\"reproj_error\":{\"elements\":[%.17g,%.17g],\"repeated\":%d},", errors[0], errors[1], p);
        std::printf("\"w_err\":{\"element\":%.17g,\"repeated\":%d}}", of_weights[0], p);
    }

    // The Jacobian in compressed rows, whose pattern is fixed: the first thirty of each list, and the last.
    void write_jacobian(const Vector &values) const {
        if (p <= 15) throw std::runtime_error("the first thirty rows are of observations");
        std::printf("{\"cols\":[");
        for (int k = 0; k < 30; k++) {
            int j = k % 15;
            std::printf("%d,", j < 11 ? j : j < 14 ? 11 * n + j - 11 : 11 * n + 3 * m);
        }
        std::printf("%d],\"rows\":[", 11 * n + 3 * m + p - 1);
        for (int k = 0; k < 30; k++) std::printf("%d,", 15 * k);
        std::printf("%d],\"vals\":[", 31 * p);
        for (int k = 0; k < 30; k++) std::printf("%.17g,", values[k]);
        std::printf("%.17g]}", values.back());
    }
};

struct Ht {
    functions::Hand hand;
    Vector theta, us;
    int directions; // of the Jacobian: by the coordinates of each point, if there are any, and by the pose

    explicit Ht(const Json &in) : theta(in["theta"].numbers), us(in["us"].numbers) {
        const Json &data = in["data"], &model = data["model"];
        hand.parents = model["parents"].integers();
        hand.bases = model["base_relatives"].numbers;
        hand.inverses = model["inverse_base_absolutes"].numbers;
        hand.points = data["points"].numbers;
        hand.mirror = model["is_mirrored"].truth ? -1 : 1;
        hand.corners_each = us.empty() ? 1 : 3;
        directions = us.empty() ? 26 : 28;
        auto triangles = model["triangles"].integers();
        const Vector &positions = model["base_positions"].numbers, &weights = model["weights"].numbers;
        int bones = int(hand.parents.size());
        std::map<int, int> known;
        for (int place : data["correspondences"].integers()) {
            for (int corner = 0; corner < hand.corners_each; corner++) {
                int vertex = us.empty() ? place : triangles[3 * place + corner];
                auto [at, is_new] = known.emplace(vertex, int(known.size()));
                if (is_new) {
                    functions::Hand::Vertex v;
                    std::copy_n(&positions[4 * vertex], 3, v.position.begin());
                    for (int b = 0; b < bones; b++) {
                        v.carriers.emplace_back(b, weights[bones * vertex + b]);
                    }
                    hand.vertices.push_back(v);
                }
                hand.corners.push_back(at->second);
            }
        }
    }
};

struct Lstm {
    int l, c, b;
    Vector parameters, state, sequence; // main, extra

    explicit Lstm(const Json &in)
        : l(int(in["state"].sizes[0]) / 2), c(int(in["sequence"].sizes[0])), b(int(in["state"].sizes[1])),
          parameters(in["main_params"].numbers), state(in["state"].numbers), sequence(in["sequence"].numbers) {
        parameters.insert(parameters.end(), in["extra_params"].numbers.begin(), in["extra_params"].numbers.end());
    }

    template <typename T> T objective(const T *z) const {
        return functions::lstm(l, c, b, z, z + 8 * l * b, state.data(), sequence.data());
    }
};

struct Kmeans {
    int n, k, d;
    Vector points, centroids;

    explicit Kmeans(const Json &in)
        : n(int(in["points"].sizes[0])), k(int(in["centroids"].sizes[0])), d(int(in["points"].sizes[1])),
          points(in["points"].numbers), centroids(in["centroids"].numbers) {}

    template <typename T> T objective(const T *z) const { return functions::kmeans(n, k, d, points.data(), z); }
};

// A function of a vector: what the rest have in common.
struct Curve {
    Vector x;
    int n;
};

inline Curve lse(const Json &in) { return {in["x"].numbers, int(in["x"].sizes[0])}; }
inline Curve llsq(const Json &in) { return {in["x"].numbers, in["n"].integer()}; }
inline Curve det(const Json &in) { return {in["A"].numbers, in["ell"].integer()}; }
inline Curve ode(const Json &in) { return {in["x"].numbers, in["s"].integer()}; }

template <typename T> T lse_of(const Curve &c, const T *x) { return functions::log_sum_exp(c.n, x); }
template <typename T> T llsq_of(const Curve &c, const T *x) { return functions::least_squares(int(c.x.size()), c.n, x); }
template <typename T> T det_of(const Curve &c, const T *x) { return functions::determinant(c.n, x); }
} // namespace inputs
