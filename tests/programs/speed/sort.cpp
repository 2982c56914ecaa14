#include <bits/stdc++.h>
using namespace std;

bool less_than(int a, int b) {
    return a < b;
}

vector<int> sort_numbers(int n) {
    vector<int> xs(n);
    for (int i = 0; i < n; i++) {
        xs[i] = (i * 37) % n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j + 1 < n - i; j++) {
            if (less_than(xs[j + 1], xs[j])) {
                swap(xs[j], xs[j + 1]);
            }
        }
    }
    return xs;
}
