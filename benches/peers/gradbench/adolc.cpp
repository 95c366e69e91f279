// The derivatives of the benchmark's functions by ADOL-C: recorded and replayed.

#include <adolc/adolc.h>

namespace functions {
inline double worth(const adouble &x) { return x.value(); }
inline double worth(const adub &x) { return x.value(); }
} // namespace functions

#include "tapes.hpp"

struct Tool {
    using Active = adouble;

    class Recorded {
        static constexpr short TAG = 1;
        Vector x;
        size_t results;

      public:
        Recorded(const Vector &at, size_t results, const std::function<void(const Active *, Active *)> &f)
            : x(at), results(results) {
            std::vector<adouble> in(at.size()), out(results);
            trace_on(TAG);
            for (size_t i = 0; i < at.size(); i++) in[i] <<= at[i];
            f(in.data(), out.data());
            double value;
            for (adouble &y : out) y >>= value;
            trace_off();
        }
        void gradient(double *g) { ::gradient(TAG, int(x.size()), x.data(), g); }
        void hessian_by(const Vector &v, Vector &g, Vector &h) {
            gradient(g.data());
            ::hess_vec(TAG, int(x.size()), x.data(), const_cast<double *>(v.data()), h.data());
        }
        void at(const double *z) { std::copy_n(z, x.size(), x.begin()); }
        void jacobian(double *rows) {
            std::vector<double *> row(results);
            for (size_t i = 0; i < results; i++) row[i] = rows + i * x.size();
            ::jacobian(TAG, int(results), int(x.size()), x.data(), row.data());
        }
        void along(const Vector &directions, int n, double *rows) {
            std::vector<double *> in(x.size()), out(results);
            for (size_t i = 0; i < x.size(); i++) in[i] = const_cast<double *>(directions.data()) + i * n;
            for (size_t i = 0; i < results; i++) out[i] = rows + i * n;
            Vector y(results);
            ::fov_forward(TAG, int(results), int(x.size()), n, x.data(), in.data(), y.data(), out.data());
        }
    };
};

int main(int count, char **words) { return inner(count, words, tapes::Tapes<Tool>::functions_by_tape()); }
