use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::*;
use std::rc::Rc;
#[derive(Debug, Clone, Copy, PartialEq)]
enum Color { Red, Green = 5 }
#[derive(Debug, Clone)]
struct Unit;
#[derive(Debug, Clone)]
struct Pair(i32, String);
#[derive(Debug)]
enum Tree { Leaf, Node(Box<Tree>, i64, Box<Tree>) }
fn p1() -> (i32, i32) { (1, -2) }
fn p2() -> (u8, f64) { (1, 2.5) }
fn p3() -> Option<f32> { Some(0.1) }
fn p4() -> Result<u8, String> { Err("bad".to_string()) }
fn p5() -> [i32; 3] { [1, 2, 3] }
fn p6() -> (i8, i8, i8) { (1, 2, 3) }
fn p7() -> i128 { -5 }
fn p8() -> &'static str { "hi" }
fn p9() -> Option<&'static str> { None }
fn p10() -> Option<Option<bool>> { Some(None) }
fn p11() -> Color { Color::Green }
fn p12() -> Result<i32, i32> { Ok(3) }
fn p13() -> (f32, f32) { (1.5, 2.5) }
fn p14() -> Option<char> { Some('é') }
fn p15() -> Box<i32> { Box::new(3) }
fn p16() -> [f64; 2] { [1.0, 2.0] }
fn p17() -> Option<u64> { Some(1) }
fn p18() -> (u64, bool) { (u64::MAX, true) }
fn p19() -> Result<(), String> { Ok(()) }
fn p20() -> std::cmp::Ordering { 1.cmp(&2) }
fn p21() -> Option<(i32, i32)> { Some((1, 2)) }
fn p22() -> Result<u64, std::num::ParseIntError> { "x".parse::<u64>() }
fn p23() -> [u8; 16] { *b"0123456789abcdef" }
fn p24() -> (u16, u16, f32) { (1, 2, 3.5) }
fn p25() -> Option<Vec<i32>> { Some(vec![1]) }
fn returns() -> usize {
    println!("{:?}", p1());
    println!("{:?}", p2());
    println!("{:?}", p3());
    println!("{:?}", p4());
    println!("{:?}", p5());
    println!("{:?}", p6());
    println!("{:?}", p7());
    println!("{:?}", p8());
    println!("{:?}", p9());
    println!("{:?}", p10());
    println!("{:?}", p11());
    println!("{:?}", p12());
    println!("{:?}", p13());
    println!("{:?}", p14());
    println!("{:?}", p15());
    println!("{:?}", p16());
    println!("{:?}", p17());
    println!("{:?}", p18());
    println!("{:?}", p19());
    println!("{:?}", p20());
    println!("{:?}", p21());
    println!("{:?}", p22());
    println!("{:?}", p23());
    println!("{:?}", p24());
    println!("{:?}", p25());
    0
}

fn locals() -> usize {
    let a: VecDeque<i32> = { let mut d: VecDeque<i32> = (1..5).collect(); d.pop_front(); d.push_back(9); d.push_front(7); d };
    let b: BTreeMap<String, Vec<i32>> = (0..30).map(|i| (format!("k{:02}", i), vec![i])).collect();
    let c: BTreeSet<char> = "hello".chars().collect();
    let d: HashSet<i32> = [1, 2, 3].into_iter().collect();
    let e: LinkedList<&str> = ["x", "y"].into_iter().collect();
    let g: BinaryHeap<u8> = vec![1, 5, 2].into();
    let h = Rc::new(RefCell::new(vec![1]));
    let j = Cell::new(4);
    let k: Cow<str> = Cow::Borrowed("cow");
    let m = Tree::Node(Box::new(Tree::Leaf), 3, Box::new(Tree::Node(Box::new(Tree::Leaf), 4, Box::new(Tree::Leaf))));
    let n = (Color::Red, Unit, Pair(1, "q\"\n\u{1}\u{7f}é\0'".into()), (1,), ());
    let o = [1e16, 1e-5, 0.0001, -0.0, f64::NAN, f64::INFINITY, 1.5e300, 100000.0];
    let p = [0.1f32, 1e10f32, 16777216f32];
    let q = ['a', '\n', '\'', '"', '\u{1F600}'];
    let r = (0..3, 0..=5, 2.., ..4);
    let s: Option<Box<i32>> = Some(Box::new(1));
    let t: &[String] = &["a".to_string()];
    let x: Rc<str> = Rc::from("rcstr");
    let y: Box<[i32]> = vec![1, 2].into_boxed_slice();
    let z: HashMap<(i32, char), Option<String>> = HashMap::from([((1, 'a'), None), ((2, 'b'), Some("s".into()))]);
    let aa: Option<Rc<RefCell<i32>>> = Some(Rc::new(RefCell::new(3)));
    let ab = std::num::Wrapping(3u8);
    let ac: Vec<Vec<Option<i32>>> = vec![vec![Some(1), None], vec![]];
    let ad: Result<Vec<u8>, String> = Ok(b"ab".to_vec());
    let ae: u128 = u128::MAX;
    let ag: HashMap<String, i32> = HashMap::new();
    let ah: BTreeMap<i32, ()> = BTreeMap::from([(1, ())]);
    println!("{:?}", a);
    println!("{:?}", b);
    println!("{:?}", c);
    println!("{:?}", d);
    println!("{:?}", e);
    println!("{:?}", g);
    println!("{:?}", h);
    println!("{:?}", j);
    println!("{:?}", k);
    println!("{:?}", m);
    println!("{:?}", n);
    println!("{:?}", o);
    println!("{:?}", p);
    println!("{:?}", q);
    println!("{:?}", r);
    println!("{:?}", s);
    println!("{:?}", t);
    println!("{:?}", x);
    println!("{:?}", y);
    println!("{:?}", z);
    println!("{:?}", aa);
    println!("{:?}", ab);
    println!("{:?}", ac);
    println!("{:?}", ad);
    println!("{:?}", ae);
    println!("{:?}", ag);
    println!("{:?}", ah);
    0
}
