// The functions of the benchmark in plain C++, and their derivatives written by hand.

#include "descent.hpp"

using namespace inputs;

static void gmm_gradient(const Gmm &in, double *g) {
    int d = in.d, k = in.k, below = d * (d - 1) / 2;
    const double *alpha = in.mixture.data(), *mu = alpha + k, *q = mu + k * d, *l = q + k * d;
    double *by_alpha = g, *by_mu = g + k, *by_q = by_mu + k * d, *by_l = by_q + k * d;
    std::fill(g, g + in.mixture.size(), 0.0);
    Vector diagonal(k * d), sums(k), away(k * d), turned(k * d), beta(k), back(d);
    for (int c = 0; c < k; c++) {
        for (int j = 0; j < d; j++) {
            diagonal[c * d + j] = std::exp(q[c * d + j]);
            sums[c] += q[c * d + j];
        }
    }
    for (int i = 0; i < in.n; i++) {
        for (int c = 0; c < k; c++) {
            double *a = &away[c * d], *t = &turned[c * d], norm = 0;
            for (int j = 0; j < d; j++) {
                a[j] = in.x[i * d + j] - mu[c * d + j];
                t[j] = diagonal[c * d + j] * a[j];
            }
            const double *entry = l + c * below;
            for (int column = 0; column < d; column++) {
                for (int row = column + 1; row < d; row++) t[row] += entry[row - column - 1] * a[column];
                entry += d - column - 1;
            }
            for (int j = 0; j < d; j++) norm += t[j] * t[j];
            beta[c] = alpha[c] + sums[c] - 0.5 * norm;
        }
        double most = *std::max_element(beta.begin(), beta.end()), total = 0;
        for (int c = 0; c < k; c++) total += beta[c] = std::exp(beta[c] - most);
        for (int c = 0; c < k; c++) {
            double share = beta[c] / total;
            const double *a = &away[c * d], *t = &turned[c * d], *entry = l + c * below;
            double *by_entry = by_l + c * below;
            by_alpha[c] += share;
            for (int j = 0; j < d; j++) {
                by_q[c * d + j] += share * (1 - t[j] * diagonal[c * d + j] * a[j]);
                back[j] = diagonal[c * d + j] * t[j];
            }
            for (int column = 0; column < d; column++) {
                double sum = 0, weight = share * a[column];
                int rows = d - column - 1;
                for (int row = 0; row < rows; row++) {
                    by_entry[row] -= weight * t[column + 1 + row];
                    sum += entry[row] * t[column + 1 + row];
                }
                back[column] += sum;
                entry += rows;
                by_entry += rows;
            }
            for (int j = 0; j < d; j++) by_mu[c * d + j] += share * back[j];
        }
    }
    double most = *std::max_element(alpha, alpha + k), total = 0, square = in.gamma * in.gamma;
    for (int c = 0; c < k; c++) total += std::exp(alpha[c] - most);
    for (int c = 0; c < k; c++) by_alpha[c] -= in.n * std::exp(alpha[c] - most) / total;
    for (int j = 0; j < k * d; j++) by_q[j] += in.m - square * diagonal[j] * diagonal[j];
    for (int j = 0; j < k * below; j++) by_l[j] -= square * l[j];
}

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// The turn of y about r, what it is derived by y (a matrix), and by each part of r.
static void turned(const double *r, const double *y, double *z, double by_y[3][3], double by_r[3][3]) {
    double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (square == 0) {
        for (int k = 0; k < 3; k++) {
            double unit[3] = {0, 0, 0}, column[3];
            unit[k] = 1;
            cross(unit, y, column);
            for (int i = 0; i < 3; i++) {
                by_r[i][k] = column[i];
                by_y[i][k] = unit[i];
            }
        }
        for (int i = 0; i < 3; i++) z[i] = y[i];
        return;
    }
    double angle = std::sqrt(square), c = std::cos(angle), s = std::sin(angle);
    double n[3] = {r[0] / angle, r[1] / angle, r[2] / angle}, across[3], along = n[0] * y[0] + n[1] * y[1] + n[2] * y[2];
    cross(n, y, across);
    for (int i = 0; i < 3; i++) z[i] = y[i] * c + across[i] * s + n[i] * along * (1 - c);
    double skew[3][3] = {{0, -n[2], n[1]}, {n[2], 0, -n[0]}, {-n[1], n[0], 0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) by_y[i][j] = (i == j ? c : 0) + s * skew[i][j] + n[i] * n[j] * (1 - c);
    }
    for (int k = 0; k < 3; k++) {
        double dn[3], sideways[3];
        for (int i = 0; i < 3; i++) dn[i] = ((i == k) - n[i] * n[k]) / angle;
        cross(dn, y, sideways);
        double dalong = dn[0] * y[0] + dn[1] * y[1] + dn[2] * y[2];
        for (int i = 0; i < 3; i++) {
            by_r[i][k] = (across[i] * c - y[i] * s + n[i] * along * s) * n[k] + sideways[i] * s +
                         (dn[i] * along + n[i] * dalong) * (1 - c);
        }
    }
}

static void ba_rows(const double *camera, const double *point, double weight, const double *feature, double *rows) {
    double y[3], z[3], by_y[3][3], by_r[3][3];
    for (int k = 0; k < 3; k++) y[k] = point[k] - camera[3 + k];
    turned(camera, y, z, by_y, by_r);
    double seen[2] = {z[0] / z[2], z[1] / z[2]}, rho = seen[0] * seen[0] + seen[1] * seen[1];
    double focal = camera[6], k1 = camera[9], k2 = camera[10];
    double distortion = 1 + k1 * rho + k2 * rho * rho, slope = k1 + 2 * k2 * rho;
    for (int e = 0; e < 2; e++) {
        double by_seen[2], by_z[3], *row = rows + 15 * e, scale = weight * focal;
        for (int j = 0; j < 2; j++) by_seen[j] = scale * ((e == j) * distortion + seen[e] * slope * 2 * seen[j]);
        by_z[0] = by_seen[0] / z[2];
        by_z[1] = by_seen[1] / z[2];
        by_z[2] = -(by_z[0] * seen[0] + by_z[1] * seen[1]);
        for (int k = 0; k < 3; k++) {
            row[k] = by_z[0] * by_r[0][k] + by_z[1] * by_r[1][k] + by_z[2] * by_r[2][k];
            row[11 + k] = by_z[0] * by_y[0][k] + by_z[1] * by_y[1][k] + by_z[2] * by_y[2][k];
            row[3 + k] = -row[11 + k];
        }
        row[6] = weight * seen[e] * distortion;
        row[7] = weight * (e == 0);
        row[8] = weight * (e == 1);
        row[9] = scale * seen[e] * rho;
        row[10] = scale * seen[e] * rho * rho;
        row[14] = seen[e] * distortion * focal + camera[7 + e] - feature[e];
    }
}

// Rows of the Jacobian, one after the other: of each error by the coordinates of its point, and by the pose.
static void ht_jacobian(const Ht &in, double *rows) {
    const functions::Hand &hand = in.hand;
    const double *theta = in.theta.data();
    int bones = int(hand.parents.size()), width = in.directions, first = width - 26;
    Vector relatives(12 * bones), absolutes(12 * bones), carriers(12 * bones);
    // For each bone what carries it, derived by each of the pose's numbers that move it.
    std::vector<std::vector<std::pair<int, std::array<double, 12>>>> moved(bones), by(bones);
    for (int b = 0; b < bones; b++) {
        double m[9];
        int bend = functions::bend_of(b), spread = functions::spread_of(b), parent = hand.parents[b];
        double x = bend < 0 ? 0 : theta[bend], z = spread < 0 ? 0 : theta[spread];
        double sx = std::sin(x), cx = std::cos(x), sz = std::sin(z), cz = std::cos(z);
        functions::turn(x, z, m);
        auto placed = [&](double *relative, double *absolute, bool derived) {
            if (derived) relative[3] = relative[7] = relative[11] = 0;
            if (parent < 0) {
                std::copy(relative, relative + 12, absolute);
                return;
            }
            functions::product(&absolutes[12 * parent], relative, absolute);
            if (derived) {
                for (int i = 0; i < 3; i++) absolute[4 * i + 3] -= absolutes[12 * parent + 4 * i + 3];
            }
        };
        double *relative = &relatives[12 * b];
        functions::product_with_turn(&hand.bases[16 * b], m, relative);
        placed(relative, &absolutes[12 * b], false);
        auto derive = [&](int by_number, const double *dm) {
            double drelative[12];
            std::array<double, 12> dabsolute;
            functions::product_with_turn(&hand.bases[16 * b], dm, drelative);
            placed(drelative, dabsolute.data(), true);
            moved[b].emplace_back(by_number, dabsolute);
        };
        double by_bend[9] = {0, sz * sx, sz * cx, 0, -cz * sx, -cz * cx, 0, cx, -sx};
        double by_spread[9] = {-sz, -cz * cx, cz * sx, cz, -sz * cx, sz * sx, 0, 0, 0};
        if (bend >= 0) derive(bend, by_bend);
        if (spread >= 0) derive(spread, by_spread);
        if (parent >= 0) {
            for (const auto &[number, dparent] : moved[parent]) {
                std::array<double, 12> dabsolute;
                functions::product(dparent.data(), relative, dabsolute.data());
                moved[b].emplace_back(number, dabsolute);
            }
        }
        functions::product(&absolutes[12 * b], &hand.inverses[16 * b], &carriers[12 * b]);
        for (const auto &[number, dabsolute] : moved[b]) {
            std::array<double, 12> dcarrier;
            functions::product(dabsolute.data(), &hand.inverses[16 * b], dcarrier.data());
            by[b].emplace_back(number, dcarrier);
        }
    }
    double facing[9];
    functions::rotation(theta, facing);
    Vector vertices(3 * hand.vertices.size()), slopes(3 * 26 * hand.vertices.size());
    for (size_t v = 0; v < hand.vertices.size(); v++) {
        double local[3] = {0, 0, 0}, by_local[3][26] = {}, z[3], by_y[3][3], by_r[3][3];
        const auto &p = hand.vertices[v].position;
        auto add = [&](double weight, const double *m, int i) {
            return weight * (m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3]);
        };
        for (auto [bone, weight] : hand.vertices[v].carriers) {
            for (int i = 0; i < 3; i++) local[i] += add(weight, &carriers[12 * bone], i);
            for (const auto &[number, m] : by[bone]) {
                for (int i = 0; i < 3; i++) by_local[i][number] += add(weight, m.data(), i);
            }
        }
        local[0] *= hand.mirror;
        for (int j = 0; j < 26; j++) by_local[0][j] *= hand.mirror;
        turned(theta, local, z, by_y, by_r);
        double *slope = &slopes[78 * v];
        for (int i = 0; i < 3; i++) {
            const double *f = facing + 3 * i;
            vertices[3 * v + i] = f[0] * local[0] + f[1] * local[1] + f[2] * local[2] + theta[3 + i];
            for (int j = 6; j < 26; j++) {
                slope[26 * i + j] = f[0] * by_local[0][j] + f[1] * by_local[1][j] + f[2] * by_local[2][j];
            }
            for (int j = 0; j < 3; j++) {
                slope[26 * i + j] = by_r[i][j];
                slope[26 * i + 3 + j] = i == j;
            }
        }
    }
    for (int c = 0; c < hand.size(); c++) {
        for (int i = 0; i < 3; i++) {
            double *row = rows + (3 * c + i) * width;
            if (hand.corners_each == 1) {
                for (int j = 0; j < 26; j++) row[j] = -slopes[78 * hand.corners[c] + 26 * i + j];
                continue;
            }
            const int *corner = &hand.corners[3 * c];
            double u = in.us[2 * c], v = in.us[2 * c + 1], w = 1 - u - v;
            for (int k = 0; k < 2; k++) row[k] = vertices[3 * corner[2] + i] - vertices[3 * corner[k] + i];
            const double *s = slopes.data() + 26 * i;
            const double *of[3] = {s + 78 * corner[0], s + 78 * corner[1], s + 78 * corner[2]};
            for (int j = 0; j < 26; j++) row[first + j] = -(u * of[0][j] + v * of[1][j] + w * of[2][j]);
        }
    }
}

static void lstm_gradient(const Lstm &in, double *g) {
    int l = in.l, b = in.b, steps = in.c - 1, bits = l * b;
    const double *main = in.parameters.data(), *extra = main + 8 * bits;
    double *by_main = g, *by_extra = g + 8 * bits;
    std::fill(g, g + in.parameters.size(), 0.0);
    // Of each step, layer and bit: input, output and memory before, gates, change, tanh of the memory after.
    enum { X, H, C, FORGET, IN, OUT, CHANGE, TANH, KEPT };
    Vector kept(size_t(steps) * bits * KEPT), state = in.state, x(b), outputs(size_t(steps) * b), shares(size_t(steps) * b);
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < b; j++) x[j] = in.sequence[t * b + j] * extra[j];
        for (int i = 0; i < l; i++) {
            const double *w = main + 8 * i * b, *bias = w + 4 * b;
            double *h = &state[2 * i * b], *memory = h + b, *keep = &kept[(size_t(t) * bits + i * b) * KEPT];
            for (int j = 0; j < b; j++, keep += KEPT) {
                double forget = functions::sigmoid(x[j] * w[j] + bias[j]);
                double gate = functions::sigmoid(h[j] * w[b + j] + bias[b + j]);
                double out = functions::sigmoid(x[j] * w[2 * b + j] + bias[2 * b + j]);
                double change = std::tanh(h[j] * w[3 * b + j] + bias[3 * b + j]);
                double after = memory[j] * forget + gate * change, squashed = std::tanh(after);
                double all[KEPT] = {x[j], h[j], memory[j], forget, gate, out, change, squashed};
                std::copy(all, all + KEPT, keep);
                memory[j] = after;
                x[j] = h[j] = out * squashed;
            }
        }
        double sum = 2;
        for (int j = 0; j < b; j++) {
            outputs[t * b + j] = x[j];
            sum += shares[t * b + j] = std::exp(x[j] * extra[b + j] + extra[2 * b + j]);
        }
        for (int j = 0; j < b; j++) shares[t * b + j] /= sum;
    }
    Vector by_state(2 * bits), by_x(b);
    double scale = -1.0 / (double(steps) * b);
    for (int t = steps - 1; t >= 0; t--) {
        const double *next = &in.sequence[(t + 1) * b];
        double total = 0;
        for (int j = 0; j < b; j++) total += next[j];
        for (int j = 0; j < b; j++) {
            double by_y = scale * (next[j] - total * shares[t * b + j]);
            by_extra[2 * b + j] += by_y;
            by_extra[b + j] += by_y * outputs[t * b + j];
            by_x[j] = by_y * extra[b + j];
        }
        for (int i = l - 1; i >= 0; i--) {
            const double *w = main + 8 * i * b, *keep = &kept[(size_t(t) * bits + i * b) * KEPT];
            double *by_w = by_main + 8 * i * b, *by_bias = by_w + 4 * b, *by_h = &by_state[2 * i * b], *by_c = by_h + b;
            for (int j = 0; j < b; j++, keep += KEPT) {
                double out = by_x[j] + by_h[j];
                double memory = by_c[j] + out * keep[OUT] * (1 - keep[TANH] * keep[TANH]);
                double forget = memory * keep[C] * keep[FORGET] * (1 - keep[FORGET]);
                double gate = memory * keep[CHANGE] * keep[IN] * (1 - keep[IN]);
                double let = out * keep[TANH] * keep[OUT] * (1 - keep[OUT]);
                double change = memory * keep[IN] * (1 - keep[CHANGE] * keep[CHANGE]);
                double by[4] = {forget, gate, let, change};
                for (int k = 0; k < 4; k++) {
                    by_w[k * b + j] += by[k] * keep[k % 2 ? H : X];
                    by_bias[k * b + j] += by[k];
                }
                by_x[j] = forget * w[j] + let * w[2 * b + j];
                by_h[j] = gate * w[b + j] + change * w[3 * b + j];
                by_c[j] = memory * keep[FORGET];
            }
        }
        for (int j = 0; j < b; j++) by_extra[j] += by_x[j] * in.sequence[t * b + j];
    }
}

static void kmeans_direction(const Kmeans &in, double *direction) {
    Vector sums(in.k * in.d), sizes(in.k);
    for (int i = 0; i < in.n; i++) {
        const double *point = &in.points[i * in.d];
        int nearest = 0;
        double least = 0;
        for (int c = 0; c < in.k; c++) {
            double distance = 0;
            for (int j = 0; j < in.d; j++) {
                double away = point[j] - in.centroids[c * in.d + j];
                distance += away * away;
            }
            if (c == 0 || distance < least) {
                least = distance;
                nearest = c;
            }
        }
        sizes[nearest]++;
        for (int j = 0; j < in.d; j++) sums[nearest * in.d + j] += point[j];
    }
    for (int c = 0; c < in.k; c++) {
        for (int j = 0; j < in.d; j++) {
            int at = c * in.d + j;
            direction[at] = (2 * sizes[c] * in.centroids[at] - 2 * sums[at]) / (2 * sizes[c]);
        }
    }
}

static void lse_gradient(const Curve &in, double *g) {
    double most = *std::max_element(in.x.begin(), in.x.end()), sum = 0;
    for (int i = 0; i < in.n; i++) sum += g[i] = std::exp(in.x[i] - most);
    for (int i = 0; i < in.n; i++) g[i] /= sum;
}

static void llsq_gradient(const Curve &in, double *g) {
    int m = int(in.x.size());
    std::fill(g, g + m, 0.0);
    Vector powers(m);
    for (int i = 0; i < in.n; i++) {
        double t = -1 + 2.0 * i / (in.n - 1), power = 1, away = (t > 0) - (t < 0);
        for (int j = 0; j < m; j++, power *= t) {
            powers[j] = power;
            away -= in.x[j] * power;
        }
        for (int j = 0; j < m; j++) g[j] -= away * powers[j];
    }
}

// The minor of these columns; `bar` is how the determinant depends on it.
static double minor_gradient(int ell, const double *a, int row, int *columns, double bar, double *g) {
    if (row == ell - 1) {
        g[row * ell + columns[0]] += bar;
        return a[row * ell + columns[0]];
    }
    int left[16], size = ell - row;
    double sum = 0, sign = 1;
    std::copy(columns + 1, columns + size, left);
    for (int j = 0; j < size; j++, sign = -sign) {
        int at = row * ell + columns[j];
        double minor = minor_gradient(ell, a, row + 1, left, bar * sign * a[at], g);
        g[at] += bar * sign * minor;
        sum += sign * a[at] * minor;
        if (j + 1 < size) left[j] = columns[j];
    }
    return sum;
}

static void det_gradient(const Curve &in, double *g) {
    int columns[16];
    for (int j = 0; j < in.n; j++) columns[j] = j;
    std::fill(g, g + in.x.size(), 0.0);
    minor_gradient(in.n, in.x.data(), 0, columns, 1.0, g);
}

// The discrete adjoint of the method of Runge and Kutta, by the last component.
static void ode_gradient(const Curve &in, double *g) {
    int n = int(in.x.size()), s = in.n;
    const double *x = in.x.data();
    double h = 2.0 / s;
    std::fill(g, g + n, 0.0);
    Vector states(size_t(s) * n), y(n), k1(n), k2(n), k3(n), k4(n), a1(n), a2(n), a3(n), by_y(n), by_k(n), by_a(n), next(n);
    for (int t = 0; t < s; t++) {
        std::copy(y.begin(), y.end(), &states[size_t(t) * n]);
        functions::slope(n, x, y.data(), k1.data());
        for (int i = 0; i < n; i++) a1[i] = y[i] + h / 2 * k1[i];
        functions::slope(n, x, a1.data(), k2.data());
        for (int i = 0; i < n; i++) a2[i] = y[i] + h / 2 * k2[i];
        functions::slope(n, x, a2.data(), k3.data());
        for (int i = 0; i < n; i++) a3[i] = y[i] + h * k3[i];
        functions::slope(n, x, a3.data(), k4.data());
        for (int i = 0; i < n; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    // The adjoint of a slope at `at`: into the gradient, and what it is at the place.
    auto back = [&](const double *at, const Vector &by, Vector &by_at) {
        g[0] += by[0];
        for (int i = 1; i < n; i++) {
            g[i] += by[i] * at[i - 1];
            by_at[i - 1] = by[i] * x[i];
        }
        by_at[n - 1] = 0;
    };
    by_y[n - 1] = 1;
    for (int t = s - 1; t >= 0; t--) {
        const double *start = &states[size_t(t) * n];
        functions::slope(n, x, start, k1.data());
        for (int i = 0; i < n; i++) a1[i] = start[i] + h / 2 * k1[i];
        functions::slope(n, x, a1.data(), k2.data());
        for (int i = 0; i < n; i++) a2[i] = start[i] + h / 2 * k2[i];
        functions::slope(n, x, a2.data(), k3.data());
        for (int i = 0; i < n; i++) a3[i] = start[i] + h * k3[i];
        next = by_y;
        const double shares[4] = {h / 6, h / 3, h / 3, h / 6}, lengths[4] = {0, h / 2, h / 2, h};
        const double *places[4] = {start, a1.data(), a2.data(), a3.data()};
        std::fill(by_a.begin(), by_a.end(), 0.0);
        for (int k = 3; k >= 0; k--) {
            double length = k < 3 ? lengths[k + 1] : 0;
            for (int i = 0; i < n; i++) by_k[i] = shares[k] * by_y[i] + length * by_a[i];
            back(places[k], by_k, by_a);
            for (int i = 0; i < n; i++) next[i] += by_a[i];
        }
        std::swap(by_y, next);
    }
}

// A function of one result, and one that fills a vector of this size.
template <typename In, typename F> Prepared value(In in, F f) {
    auto held = std::make_shared<In>(std::move(in));
    auto result = std::make_shared<double>();
    return {[=] { *result = f(*held); }, [=] { print(result.get(), {}); }};
}

template <typename In, typename F> Prepared filled(In in, std::vector<size_t> sizes, F f) {
    size_t size = 1;
    for (size_t s : sizes) size *= s;
    auto held = std::make_shared<In>(std::move(in));
    auto result = std::make_shared<Vector>(size);
    return {[=] { f(*held, result->data()); }, [=] { print(result->data(), sizes); }};
}

template <typename F> Prepared gradient(Curve in, F f) {
    size_t n = in.x.size();
    return filled(std::move(in), {n}, f);
}

// Dual numbers, for the descents: what is written by hand there is the way to differentiate.
template <typename T> struct Dual {
    T value, slope;

    Dual(double x = 0) : value(x), slope(0.0) {}
    template <typename U, typename = std::enable_if_t<std::is_same_v<U, T> && !std::is_same_v<U, double>>>
    Dual(const U &x) : value(x), slope(0.0) {}
    Dual(const T &value, const T &slope) : value(value), slope(slope) {}

    friend Dual operator+(const Dual &a, const Dual &b) { return {a.value + b.value, a.slope + b.slope}; }
    friend Dual operator-(const Dual &a, const Dual &b) { return {a.value - b.value, a.slope - b.slope}; }
    friend Dual operator-(const Dual &a) { return {-a.value, -a.slope}; }
    friend Dual operator*(const Dual &a, const Dual &b) {
        return {a.value * b.value, a.slope * b.value + a.value * b.slope};
    }
    friend Dual operator/(const Dual &a, const Dual &b) {
        T ratio = a.value / b.value;
        return {ratio, (a.slope - ratio * b.slope) / b.value};
    }
    friend Dual sqrt(const Dual &a) {
        using std::sqrt;
        T root = sqrt(a.value);
        return {root, a.slope / (root + root)};
    }
    friend double worth(const Dual &a) {
        using functions::worth;
        return worth(a.value);
    }
    Dual &operator+=(const Dual &a) { return *this = *this + a; }
    Dual &operator-=(const Dual &a) { return *this = *this - a; }
};

struct Duals {
    template <typename F, typename T> static void gradient(const F &f, const std::vector<T> &x, std::vector<T> &g) {
        std::vector<Dual<T>> in(x.begin(), x.end());
        for (size_t i = 0; i < x.size(); i++) {
            in[i].slope = 1.0;
            g[i] = f(in.data()).slope;
            in[i].slope = 0.0;
        }
    }
};

int main(int count, char **words) {
    return inner(count, words, {
        {{"particle", "ff"}, descent::particle<Duals, Duals>},
        {{"saddle", "ff"}, descent::saddle<Duals, Duals>},
        {{"gmm", "objective"}, [](const Json &in) { return value(Gmm(in), [](const Gmm &g) { return g.objective(g.mixture.data()); }); }},
        {{"gmm", "jacobian"}, [](const Json &in) -> Prepared {
            auto held = std::make_shared<Gmm>(in);
            auto g = std::make_shared<Vector>(held->mixture.size());
            return {[=] { gmm_gradient(*held, g->data()); }, [=] { held->write(g->data()); }};
        }},
        {{"ba", "objective"}, [](const Json &in) -> Prepared {
            auto held = std::make_shared<Ba>(in);
            auto errors = std::make_shared<Vector>(3 * held->p);
            return {[=] { held->objective(errors->data(), errors->data() + 2 * held->p); },
                    [=] { held->write_errors(errors->data(), errors->data() + 2 * held->p); }};
        }},
        {{"ba", "jacobian"}, [](const Json &in) -> Prepared {
            auto held = std::make_shared<Ba>(in);
            auto values = std::make_shared<Vector>(31 * size_t(held->p));
            return {[=] {
                const Ba &b = *held;
                for (int i = 0; i < b.p; i++) {
                    ba_rows(&b.cameras[11 * (i % b.n)], &b.points[3 * (i % b.m)], b.weights[i], &b.features[2 * i], &(*values)[30 * i]);
                }
                for (int i = 0; i < b.p; i++) (*values)[30 * size_t(b.p) + i] = -2 * b.weights[i];
            }, [=] { held->write_jacobian(*values); }};
        }},
        {{"ht", "objective"}, [](const Json &json) {
            Ht in(json);
            size_t errors = 3 * in.hand.size();
            return filled(in, {errors}, [](const Ht &in, double *e) { functions::hand(in.hand, in.theta.data(), in.us.data(), e); });
        }},
        {{"ht", "jacobian"}, [](const Json &json) {
            Ht in(json);
            size_t errors = 3 * in.hand.size(), width = in.directions;
            return filled(in, {errors, width}, ht_jacobian);
        }},
        {{"lstm", "objective"}, [](const Json &in) { return value(Lstm(in), [](const Lstm &l) { return l.objective(l.parameters.data()); }); }},
        {{"lstm", "jacobian"}, [](const Json &json) {
            Lstm in(json);
            size_t n = in.parameters.size();
            return filled(in, {n}, lstm_gradient);
        }},
        {{"kmeans", "cost"}, [](const Json &in) { return value(Kmeans(in), [](const Kmeans &k) { return k.objective(k.centroids.data()); }); }},
        {{"kmeans", "dir"}, [](const Json &json) {
            Kmeans in(json);
            size_t k = in.k, d = in.d;
            return filled(in, {k, d}, kmeans_direction);
        }},
        {{"lse", "primal"}, [](const Json &in) { return value(lse(in), [](const Curve &c) { return lse_of(c, c.x.data()); }); }},
        {{"lse", "gradient"}, [](const Json &in) { return gradient(lse(in), lse_gradient); }},
        {{"llsq", "primal"}, [](const Json &in) { return value(llsq(in), [](const Curve &c) { return llsq_of(c, c.x.data()); }); }},
        {{"llsq", "gradient"}, [](const Json &in) { return gradient(llsq(in), llsq_gradient); }},
        {{"det", "primal"}, [](const Json &in) { return value(det(in), [](const Curve &c) { return det_of(c, c.x.data()); }); }},
        {{"det", "gradient"}, [](const Json &in) { return gradient(det(in), det_gradient); }},
        {{"ode", "primal"}, [](const Json &in) { return gradient(ode(in), [](const Curve &c, double *y) {
            std::fill(y, y + c.x.size(), 0.0);
            functions::ode(int(c.x.size()), c.n, c.x.data(), y);
        }); }},
        {{"ode", "gradient"}, [](const Json &in) { return gradient(ode(in), ode_gradient); }},
    });
}
