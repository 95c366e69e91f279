// The functions of the benchmark, from its formulas, for any type of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace functions {

using std::atan2;
using std::cos;
using std::exp;
using std::log;
using std::sin;
using std::sqrt;
using std::tanh;

constexpr double PI = 3.14159265358979323846;

// What an active number is worth where a branch asks: each tool says so for its own type.
inline double worth(double x) { return x; }

template <typename T> T log_sum_exp(int n, const T *x) {
    int most = 0;
    for (int i = 1; i < n; i++) {
        if (worth(x[i]) > worth(x[most])) most = i;
    }
    T sum = 0.0;
    for (int i = 0; i < n; i++) sum += exp(x[i] - x[most]);
    return log(sum) + x[most];
}

inline double log_prior_constant(int d, int k, int m, double gamma) {
    double degrees = d + m + 1, log_gamma = d * (d - 1) / 4.0 * log(PI);
    for (int j = 0; j < d; j++) log_gamma += std::lgamma(degrees / 2 - j / 2.0);
    return k * (degrees * d * (log(gamma) - 0.5 * log(2.0)) - log_gamma);
}

template <typename T>
T gmm(int d, int k, int n, const T *alpha, const T *mu, const T *q, const T *l, const double *x, int m, double gamma) {
    int below = d * (d - 1) / 2;
    std::vector<T> diagonal(k * d), sums(k), beta(k), away(d), turned(d);
    T squares = 0.0, all = 0.0, sum = 0.0;
    for (int c = 0; c < k; c++) {
        sums[c] = 0.0;
        for (int j = 0; j < d; j++) {
            diagonal[c * d + j] = exp(q[c * d + j]);
            squares += diagonal[c * d + j] * diagonal[c * d + j];
            sums[c] += q[c * d + j];
        }
        for (int j = 0; j < below; j++) squares += l[c * below + j] * l[c * below + j];
        all += sums[c];
    }
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++) {
            for (int j = 0; j < d; j++) {
                away[j] = x[i * d + j] - mu[c * d + j];
                turned[j] = diagonal[c * d + j] * away[j];
            }
            const T *entry = l + c * below;
            for (int column = 0; column < d; column++) {
                for (int row = column + 1; row < d; row++) turned[row] += *entry++ * away[column];
            }
            T norm = 0.0;
            for (int j = 0; j < d; j++) norm += turned[j] * turned[j];
            beta[c] = alpha[c] + sums[c] - 0.5 * norm;
        }
        sum += log_sum_exp(k, beta.data());
    }
    T prior = log_prior_constant(d, k, m, gamma) - gamma * gamma / 2 * squares + double(m) * all;
    return sum - n * d / 2.0 * log(2 * PI) - double(n) * log_sum_exp(k, alpha) + prior;
}

// Rotation, centre, focal length, principal point, two distortions; a point; a weight; a feature.
template <typename T> void reprojection(const T *camera, const T *point, const T &weight, const double *feature, T *error) {
    const T *r = camera;
    T y[3], z[3];
    for (int k = 0; k < 3; k++) y[k] = point[k] - camera[3 + k];
    T square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (worth(square) != 0) {
        T angle = sqrt(square), c = cos(angle), s = sin(angle), over = 1.0 / angle;
        T w[3] = {r[0] * over, r[1] * over, r[2] * over};
        T along = (w[0] * y[0] + w[1] * y[1] + w[2] * y[2]) * (1.0 - c);
        T across[3] = {w[1] * y[2] - w[2] * y[1], w[2] * y[0] - w[0] * y[2], w[0] * y[1] - w[1] * y[0]};
        for (int k = 0; k < 3; k++) z[k] = y[k] * c + across[k] * s + w[k] * along;
    } else {
        z[0] = y[0] + r[1] * y[2] - r[2] * y[1];
        z[1] = y[1] + r[2] * y[0] - r[0] * y[2];
        z[2] = y[2] + r[0] * y[1] - r[1] * y[0];
    }
    T seen[2] = {z[0] / z[2], z[1] / z[2]};
    T rho = seen[0] * seen[0] + seen[1] * seen[1];
    T distortion = 1.0 + camera[9] * rho + camera[10] * rho * rho;
    for (int k = 0; k < 2; k++) error[k] = weight * (seen[k] * distortion * camera[6] + camera[7 + k] - feature[k]);
}

template <typename T> T sigmoid(const T &x) { return 1.0 / (1.0 + exp(-x)); }

// main: 2 l rows of 4 b; extra: 3 rows of b; state: 2 l rows of b, overwritten; sequence: c rows of b.
template <typename T> T lstm(int l, int c, int b, const T *main, const T *extra, const double *start, const double *sequence) {
    std::vector<T> state(start, start + 2 * l * b), x(b);
    T total = 0.0;
    for (int t = 0; t + 1 < c; t++) {
        for (int j = 0; j < b; j++) x[j] = sequence[t * b + j] * extra[j];
        for (int i = 0; i < l; i++) {
            const T *w = main + 2 * i * 4 * b, *bias = w + 4 * b;
            T *h = &state[2 * i * b], *memory = h + b;
            for (int j = 0; j < b; j++) {
                T forget = sigmoid<T>(x[j] * w[j] + bias[j]);
                T in = sigmoid<T>(h[j] * w[b + j] + bias[b + j]);
                T out = sigmoid<T>(x[j] * w[2 * b + j] + bias[2 * b + j]);
                T change = tanh(h[j] * w[3 * b + j] + bias[3 * b + j]);
                memory[j] = memory[j] * forget + in * change;
                h[j] = out * tanh(memory[j]);
                x[j] = h[j];
            }
        }
        T sum = 2.0;
        for (int j = 0; j < b; j++) {
            x[j] = x[j] * extra[b + j] + extra[2 * b + j];
            sum += exp(x[j]);
        }
        T norm = log(sum);
        for (int j = 0; j < b; j++) {
            if (sequence[(t + 1) * b + j] != 0) total += sequence[(t + 1) * b + j] * (x[j] - norm);
        }
    }
    return -total / double((c - 1) * b);
}

template <typename T> T kmeans(int n, int k, int d, const double *points, const T *centroids) {
    T sum = 0.0;
    for (int i = 0; i < n; i++) {
        T least = 0.0;
        for (int c = 0; c < k; c++) {
            T distance = 0.0;
            for (int j = 0; j < d; j++) {
                T away = points[i * d + j] - centroids[c * d + j];
                distance += away * away;
            }
            if (c == 0 || worth(distance) < worth(least)) least = distance;
        }
        sum += least;
    }
    return sum;
}

template <typename T> T least_squares(int m, int n, const T *x) {
    T sum = 0.0;
    for (int i = 0; i < n; i++) {
        double t = -1 + 2.0 * i / (n - 1), power = 1;
        T fitted = 0.0;
        for (int j = 0; j < m; j++, power *= t) fitted += x[j] * power;
        T away = double((t > 0) - (t < 0)) - fitted;
        sum += away * away;
    }
    return 0.5 * sum;
}

// The minor of these columns and the last rows.
template <typename T> T minor(int ell, const T *a, int row, const int *columns) {
    int size = ell - row;
    if (size == 1) return a[row * ell + columns[0]];
    int left[16];
    for (int j = 1; j < size; j++) left[j - 1] = columns[j];
    T sum = 0.0;
    double sign = 1;
    for (int j = 0; j < size; j++, sign = -sign) {
        sum += sign * a[row * ell + columns[j]] * minor(ell, a, row + 1, left);
        left[j] = columns[j];
    }
    return sum;
}

template <typename T> T determinant(int ell, const T *a) {
    int columns[16];
    for (int j = 0; j < ell; j++) columns[j] = j;
    return minor(ell, a, 0, columns);
}

template <typename T> void slope(int n, const T *x, const T *y, T *k) {
    k[0] = x[0];
    for (int i = 1; i < n; i++) k[i] = x[i] * y[i - 1];
}

// From the state `y`, which is overwritten.
template <typename T> void ode(int n, int s, const T *x, T *y) {
    std::vector<T> k1(n), k2(n), k3(n), k4(n), at(n);
    double h = 2.0 / s;
    for (int step = 0; step < s; step++) {
        slope(n, x, y, k1.data());
        for (int i = 0; i < n; i++) at[i] = y[i] + h / 2 * k1[i];
        slope(n, x, at.data(), k2.data());
        for (int i = 0; i < n; i++) at[i] = y[i] + h / 2 * k2[i];
        slope(n, x, at.data(), k3.data());
        for (int i = 0; i < n; i++) at[i] = y[i] + h * k3[i];
        slope(n, x, at.data(), k4.data());
        for (int i = 0; i < n; i++) y[i] += h / 6 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
}

// What a hand is, apart from its pose, with the vertices alone that are wanted. Each is carried by all bones, as in the
// benchmark's own implementations: most weights are zero, and no use is made of that.
struct Hand {
    struct Vertex {
        std::array<double, 3> position;
        std::vector<std::pair<int, double>> carriers;
    };
    std::vector<int> parents;
    std::vector<double> bases, inverses;
    std::vector<Vertex> vertices;
    // For each point its vertex, or the three of its triangle, and where it was measured.
    std::vector<int> corners;
    std::vector<double> points;
    int corners_each;
    double mirror;

    int size() const { return int(corners.size()) / corners_each; }
};

// The turn of a bone about x, then z, and what it is derived by each.
template <typename T> void turn(const T &x, const T &z, T *m) {
    T sx = sin(x), cx = cos(x), sz = sin(z), cz = cos(z);
    T rows[9] = {cz, -sz * cx, sz * sx, sz, cz * cx, -cz * sx, T(0.0), sx, cx};
    std::copy(rows, rows + 9, m);
}

// Of matrices of three rows of four, whose fourth row is 0 0 0 1: a times b, or a times a turn.
template <typename A, typename B, typename C> void product(const A *a, const B *b, C *c) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            c[4 * i + j] = a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j];
        }
        c[4 * i + 3] += a[4 * i + 3];
    }
}

template <typename A, typename T> void product_with_turn(const A *a, const T *turn, T *c) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c[4 * i + j] = a[4 * i] * turn[j] + a[4 * i + 1] * turn[3 + j] + a[4 * i + 2] * turn[6 + j];
        }
        c[4 * i + 3] = a[4 * i + 3];
    }
}

// Which of the pose's numbers bend a bone, and spread it; -1 if none does.
inline int bend_of(int bone) { return bone >= 2 && (bone - 2) % 4 < 3 ? 6 + (bone - 2) / 4 * 4 + ((bone - 2) % 4 ? (bone - 2) % 4 + 1 : 0) : -1; }
inline int spread_of(int bone) { return bone >= 2 && (bone - 2) % 4 == 0 ? 6 + (bone - 2) / 4 * 4 + 1 : -1; }

template <typename T> void rotation(const T *r, T *m) {
    T square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (worth(square) < 1e-8) {
        for (int i = 0; i < 9; i++) m[i] = i % 4 == 0 ? 1.0 : 0.0;
        return;
    }
    T angle = sqrt(square), c = cos(angle), s = sin(angle);
    T n[3] = {r[0] / angle, r[1] / angle, r[2] / angle};
    T across[9] = {T(0.0), -n[2], n[1], n[2], T(0.0), -n[0], -n[1], n[0], T(0.0)};
    for (int i = 0; i < 9; i++) m[i] = across[i] * s + n[i / 3] * n[i % 3] * (1.0 - c);
    for (int i = 0; i < 3; i++) m[4 * i] += c;
}

template <typename T> void hand(const Hand &hand, const T *theta, const T *us, T *errors) {
    int bones = int(hand.parents.size());
    std::vector<T> absolutes(12 * bones), carriers(12 * bones), vertices(3 * hand.vertices.size());
    for (int b = 0; b < bones; b++) {
        T relative[12], m[9];
        int bend = bend_of(b), spread = spread_of(b);
        turn<T>(bend < 0 ? T(0.0) : theta[bend], spread < 0 ? T(0.0) : theta[spread], m);
        product_with_turn(&hand.bases[16 * b], m, relative);
        T *absolute = &absolutes[12 * b];
        if (hand.parents[b] < 0) {
            std::copy(relative, relative + 12, absolute);
        } else {
            product(&absolutes[12 * hand.parents[b]], relative, absolute);
        }
        product(absolute, &hand.inverses[16 * b], &carriers[12 * b]);
    }
    T facing[9];
    rotation(theta, facing);
    for (size_t v = 0; v < hand.vertices.size(); v++) {
        T local[3] = {T(0.0), T(0.0), T(0.0)};
        for (auto [bone, weight] : hand.vertices[v].carriers) {
            const T *m = &carriers[12 * bone];
            const auto &p = hand.vertices[v].position;
            for (int i = 0; i < 3; i++) {
                local[i] += weight * (m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3]);
            }
        }
        local[0] *= hand.mirror;
        for (int i = 0; i < 3; i++) {
            vertices[3 * v + i] =
                facing[3 * i] * local[0] + facing[3 * i + 1] * local[1] + facing[3 * i + 2] * local[2] + theta[3 + i];
        }
    }
    for (int c = 0; c < hand.size(); c++) {
        for (int i = 0; i < 3; i++) {
            T at;
            if (hand.corners_each == 1) {
                at = vertices[3 * hand.corners[c] + i];
            } else {
                const int *corner = &hand.corners[3 * c];
                const T *u = us + 2 * c;
                at = u[0] * vertices[3 * corner[0] + i] + u[1] * vertices[3 * corner[1] + i] +
                     (1.0 - u[0] - u[1]) * vertices[3 * corner[2] + i];
            }
            errors[3 * c + i] = hand.points[3 * c + i] - at;
        }
    }
}

} // namespace functions
