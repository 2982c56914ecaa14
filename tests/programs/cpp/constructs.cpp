#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

struct Counter {
    int total = 0;
    std::string name;

    Counter(std::string n) : name(std::move(n)) {
        total = 1;
    }
    ~Counter() {
        total = -1;
    }
    int add(int k) {
        total += k;
        return total;
    }
    bool operator<(const Counter& other) const {
        return total < other.total;
    }
};

template <typename T>
T largest(const std::vector<T>& items) {
    T best = items[0];
    for (const auto& item : items)
        if (best < item) best = item;
    return best;
}

int divide(int a, int b) {
    if (b == 0) {
        throw std::invalid_argument("division by zero");
    }
    return a / b;
}

int safely(int a, int b) {
    Counter counter("guard");
    try {
        return divide(a, b);
    } catch (const std::invalid_argument& error) {
        counter.add(2);
        return -1;
    }
}

int loops(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 1) continue;
        sum += i;
    }
    int k = n;
    do {
        k--;
    } while (k > 0);
    while (k < 2) k++;
    switch (k) {
        case 1:
            return 0;
        case 2:
            sum += 10;
            break;
        default:
            sum = 0;
    }
    return sum;
}

std::map<std::string, std::vector<int>> group(const std::vector<int>& values) {
    std::map<std::string, std::vector<int>> groups;
    for (int value : values) {
        groups[value % 2 ? "odd" : "even"].push_back(value);
    }
    for (auto& [key, members] : groups) {
        members.push_back(0);
    }
    return groups;
}

std::optional<int> find_first(const std::vector<int>& values, int limit) {
    auto is_large = [limit](int value) {
        return value > limit;
    };
    for (int value : values) {
        if (is_large(value)) return value;
    }
    return std::nullopt;
}

struct Shape {
    virtual int area() const = 0;
    virtual ~Shape() = default;
};

struct Square : Shape {
    int side = 2;
    int area() const override {
        return side * side;
    }
};

int measure(const Shape& shape) {
    static int calls = 0;
    calls++;
    int last[2];
    for (int& each : last) each = shape.area();
    return last[1];
}

std::vector<int> everything(int n) {
    std::vector<int> results;
    results.push_back(measure(Square()));
    results.push_back(loops(n));
    results.push_back(safely(n, 0));
    results.push_back(safely(n, 1));
    Counter a("a"), b("b");
    a.add(n);
    results.push_back(largest<int>({1, n, 2}));
    results.push_back(a < b);
    results.push_back(find_first({1, 2, n},
                                 2)
                          .value_or(-1));
    results.push_back(static_cast<int>(group({1, 2, n}).size()));
    return results;
}
