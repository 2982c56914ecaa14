use std::collections::BTreeMap;
use std::panic;

#[derive(Debug, Clone)]
struct Counter {
    total: i32,
    name: String,
}

impl Counter {
    fn new(name: &str) -> Self {
        Counter { total: 1, name: name.to_string() }
    }
    fn add(&mut self, k: i32) -> i32 {
        self.total += k;
        self.total
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.total = -1;
    }
}

trait Shape {
    fn area(&self) -> i32;
}

struct Square {
    side: i32,
}

impl Shape for Square {
    fn area(&self) -> i32 {
        self.side * self.side
    }
}

fn largest<T: PartialOrd + Copy>(items: &[T]) -> T {
    let mut best = items[0];
    for &item in items {
        if best < item {
            best = item;
        }
    }
    best
}

fn divide(a: i32, b: i32) -> i32 {
    a / b
}

fn safely(a: i32, b: i32) -> i32 {
    let result = panic::catch_unwind(|| {
        let guard = Counter::new("guard");
        divide(a, b) + guard.total
    });
    match result {
        Ok(value) => value,
        Err(_) => -1,
    }
}

fn loops(n: i32) -> i32 {
    let mut sum = 0;
    for i in 0..n {
        if i == 1 {
            continue;
        }
        sum += i;
    }
    let mut k = n;
    loop {
        k -= 1;
        if k <= 0 {
            break;
        }
    }
    while k < 2 { k += 1; }
    let label;
    match k {
        1 => return 0,
        2 if sum > 100 => label = "large",
        2 => {
            sum += 10;
            label = "two";
        }
        _ => label = "other",
    }
    sum + label.len() as i32
}

fn group(values: Vec<i32>) -> BTreeMap<String, Vec<i32>> {
    let mut groups: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    for value in values {
        let key = if value % 2 == 0 { "even" } else { "odd" };
        groups.entry(key.to_string()).or_default().push(value);
    }
    groups
}

fn find_first(values: &[i32], limit: i32) -> Option<i32> {
    let is_large = |value: i32| {
        value > limit
    };
    for &value in values {
        if is_large(value) {
            return Some(value);
        }
    }
    None
}

fn parse(text: &str) -> Result<i32, std::num::ParseIntError> {
    let number = text.trim().parse::<i32>()?;
    Ok(number + 1)
}

fn everything(n: i32) -> Vec<i32> {
    let shape: Box<dyn Shape> = Box::new(Square { side: 2 });
    let mut counter = Counter::new("a");
    counter.add(n);
    vec![
        shape.area(),
        loops(n),
        safely(n, 0),
        safely(n, 1),
        largest(&[1, n, 2]),
        find_first(&[1, 2, n],
                   2)
            .unwrap_or(-1),
        group(vec![1, 2, n]).len() as i32,
        parse(" 4 ").unwrap_or(0),
        parse("x").unwrap_or(0),
        counter.total,
    ]
}
