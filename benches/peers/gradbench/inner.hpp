// The inner form of the benchmark for tools in C++: PEER MODULE INPUT.json FUNCTION.
//
// The output is on the first line, then a line for the time of each run. A peer that has no such function says so and
// exits with status 3.
#pragma once

#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using Vector = std::vector<double>;

// A value of JSON: the numbers of nested lists one after the other, with the length of each nesting's first list.
struct Json {
    std::map<std::string, Json> fields;
    Vector numbers;
    std::vector<size_t> sizes;
    bool truth = false;

    const Json &operator[](const std::string &name) const {
        auto found = fields.find(name);
        if (found == fields.end()) throw std::runtime_error("the input has no " + name);
        return found->second;
    }
    double number() const { return numbers.at(0); }
    int integer() const { return static_cast<int>(numbers.at(0)); }
    std::vector<int> integers() const { return {numbers.begin(), numbers.end()}; }
};

class Reader {
    const char *at;

    void space() {
        while (std::isspace(static_cast<unsigned char>(*at))) at++;
    }
    bool next(char c) {
        space();
        bool found = *at == c;
        if (found) at++;
        return found;
    }
    void want(char c) {
        if (!next(c)) throw std::runtime_error(std::string("the input lacks a ") + c);
    }
    std::string text() {
        want('"');
        const char *start = at;
        while (*at && *at != '"') at++;
        std::string text(start, at);
        want('"');
        return text;
    }

  public:
    explicit Reader(const std::string &text) : at(text.c_str()) {}

    Json value() {
        Json json;
        space();
        if (next('{')) {
            while (!next('}')) {
                std::string name = text();
                want(':');
                json.fields[name] = value();
                next(',');
            }
        } else if (next('[')) {
            json.sizes = {0};
            while (!next(']')) {
                space();
                Json item = value();
                if (json.sizes[0]++ == 0) json.sizes.insert(json.sizes.end(), item.sizes.begin(), item.sizes.end());
                json.numbers.insert(json.numbers.end(), item.numbers.begin(), item.numbers.end());
                next(',');
            }
        } else if (*at == '"') {
            text();
        } else if (std::isalpha(static_cast<unsigned char>(*at))) {
            json.truth = *at == 't';
            while (std::isalpha(static_cast<unsigned char>(*at))) at++;
        } else {
            char *end;
            json.numbers = {std::strtod(at, &end)};
            if (end == at) throw std::runtime_error("the input has something that is not JSON");
            at = end;
        }
        return json;
    }
};

// How results are written: numbers in rows of these sizes, outermost first.
inline void print(const double *numbers, const std::vector<size_t> &sizes, size_t depth = 0) {
    if (depth == sizes.size()) {
        std::printf("%.17g", *numbers);
        return;
    }
    size_t stride = 1;
    for (size_t k = depth + 1; k < sizes.size(); k++) stride *= sizes[k];
    std::printf("[");
    for (size_t i = 0; i < sizes[depth]; i++) {
        if (i) std::printf(",");
        print(numbers + i * stride, sizes, depth + 1);
    }
    std::printf("]");
}

// A function that is ready: what is run, and what then writes its result.
struct Prepared {
    std::function<void()> run, write;
};

using Functions = std::map<std::pair<std::string, std::string>, std::function<Prepared(const Json &)>>;

inline int inner(int count, char **words, const Functions &functions) {
    if (count != 4) {
        std::fprintf(stderr, "usage: %s MODULE INPUT.json FUNCTION\n", words[0]);
        return 2;
    }
    auto function = functions.find({words[1], words[3]});
    if (function == functions.end()) {
        std::fprintf(stderr, "no %s %s\n", words[1], words[3]);
        return 3;
    }
    std::ifstream file(words[2]);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    Json input = Reader(text).value();
    using Clock = std::chrono::steady_clock;
    auto since = [](Clock::time_point start) {
        return static_cast<long long>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
    };
    auto start = Clock::now();
    Prepared prepared = function->second(input);
    std::vector<std::pair<const char *, long long>> timings = {{"prepare", since(start)}};
    long long spent = 0;
    for (int runs = 0; runs < input["min_runs"].number() || spent < input["min_seconds"].number() * 1e9; runs++) {
        start = Clock::now();
        prepared.run();
        timings.emplace_back("evaluate", since(start));
        spent += timings.back().second;
    }
    prepared.write();
    std::printf("\n");
    for (auto [name, nanoseconds] : timings) {
        std::printf("{\"name\":\"%s\",\"nanoseconds\":%lld}\n", name, nanoseconds);
    }
    return 0;
}
