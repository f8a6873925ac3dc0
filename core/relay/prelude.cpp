#include "core/relay/prelude.h"

namespace rx::relay {

namespace {

constexpr const char* kText = R"relay(type List[A] {
  Cons(A, List[A]),
  Nil,
}
type Option[A] {
  Some(A),
  None,
}
type Tree[A] {
  Rose(A, List[Tree[A]]),
}

def @id[A](%x: A) -> A {
  %x
}
def @compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B) -> fn (A) -> C {
  fn (%x: A) -> C {
    %f(%g(%x))
  }
}
def @flip[A, B, C](%f: fn (A, B) -> C) -> fn (B, A) -> C {
  fn (%b: B, %a: A) -> C {
    %f(%a, %b)
  }
}
def @hd[A](%list: List[A]) -> A {
  match? (%list) {
    Cons(%first, _) => %first,
  }
}
def @tl[A](%list: List[A]) -> List[A] {
  match? (%list) {
    Cons(_, %rest) => %rest,
  }
}
def @nth[A](%list: List[A], %n: int32) -> A {
  if (equal(%n, 0)) {
    @hd(%list)
  } else {
    @nth(@tl(%list), subtract(%n, 1))
  }
}
def @length[A](%list: List[A]) -> int32 {
  match (%list) {
    Cons(_, %rest) => add(1, @length(%rest)),
    Nil => 0,
  }
}
def @update[A](%list: List[A], %n: int32, %value: A) -> List[A] {
  if (equal(%n, 0)) {
    Cons(%value, @tl(%list))
  } else {
    Cons(@hd(%list), @update(@tl(%list), subtract(%n, 1), %value))
  }
}
def @map[A, B](%f: fn (A) -> B, %list: List[A]) -> List[B] {
  match (%list) {
    Cons(%first, %rest) => Cons(%f(%first), @map(%f, %rest)),
    Nil => Nil,
  }
}
def @foldl[A, B](%f: fn (A, B) -> A, %start: A, %list: List[B]) -> A {
  match (%list) {
    Cons(%first, %rest) => @foldl(%f, %f(%start, %first), %rest),
    Nil => %start,
  }
}
def @foldr[A, B](%f: fn (A, B) -> B, %start: B, %list: List[A]) -> B {
  match (%list) {
    Cons(%first, %rest) => %f(%first, @foldr(%f, %start, %rest)),
    Nil => %start,
  }
}
def @foldr1[A](%f: fn (A, A) -> A, %list: List[A]) -> A {
  match? (%list) {
    Cons(%only, Nil) => %only,
    Cons(%first, %rest) => %f(%first, @foldr1(%f, %rest)),
  }
}
def @sum(%list: List[int32]) -> int32 {
  @foldl(fn (%total: int32, %value: int32) -> int32 {
    add(%total, %value)
  }, 0, %list)
}
def @concat[A](%left: List[A], %right: List[A]) -> List[A] {
  @foldr(fn (%first: A, %rest: List[A]) -> List[A] {
    Cons(%first, %rest)
  }, %right, %left)
}
def @filter[A](%keeps: fn (A) -> bool, %list: List[A]) -> List[A] {
  match (%list) {
    Cons(%first, %rest) => {
      if (%keeps(%first)) {
        Cons(%first, @filter(%keeps, %rest))
      } else {
        @filter(%keeps, %rest)
      }
    },
    Nil => Nil,
  }
}
def @zip[A, B](%left: List[A], %right: List[B]) -> List[(A, B)] {
  match (%left) {
    Cons(%a, %as) => {
      match (%right) {
        Cons(%b, %bs) => Cons((%a, %b), @zip(%as, %bs)),
        Nil => Nil,
      }
    },
    Nil => Nil,
  }
}
def @rev[A](%list: List[A]) -> List[A] {
  @foldl(fn (%done: List[A], %next: A) -> List[A] {
    Cons(%next, %done)
  }, Nil, %list)
}
def @map_accumr[A, B, C](%f: fn (A, B) -> (A, C), %start: A, %list: List[B]) -> (A, List[C]) {
  @foldr(fn (%next: B, %done: (A, List[C])) -> (A, List[C]) {
    let %step = %f(%done.0, %next);
    (%step.0, Cons(%step.1, %done.1))
  }, (%start, Nil), %list)
}
def @map_accuml[A, B, C](%f: fn (A, B) -> (A, C), %start: A, %list: List[B]) -> (A, List[C]) {
  match (%list) {
    Cons(%first, %rest) => {
      let %step = %f(%start, %first);
      let %others = @map_accuml(%f, %step.0, %rest);
      (%others.0, Cons(%step.1, %others.1))
    },
    Nil => (%start, Nil),
  }
}
def @unfoldr[A, B](%f: fn (A) -> Option[(A, B)], %seed: A) -> List[B] {
  match (%f(%seed)) {
    Some(%step) => Cons(%step.1, @unfoldr(%f, %step.0)),
    None => Nil,
  }
}
def @unfoldl[A, B](%f: fn (A) -> Option[(A, B)], %seed: A) -> List[B] {
  @rev(@unfoldr(%f, %seed))
}
def @tmap[A, B](%f: fn (A) -> B, %tree: Tree[A]) -> Tree[B] {
  match (%tree) {
    Rose(%value, %children) => Rose(%f(%value), @map(fn (%child: Tree[A]) -> Tree[B] {
      @tmap(%f, %child)
    }, %children)),
  }
}
def @size[A](%tree: Tree[A]) -> int32 {
  match (%tree) {
    Rose(_, %children) => add(1, @sum(@map(fn (%child: Tree[A]) -> int32 {
      @size(%child)
    }, %children))),
  }
}
def @iterate[A](%f: fn (A) -> A, %n: int32) -> fn (A) -> A {
  if (equal(%n, 0)) {
    @id
  } else {
    @compose(%f, @iterate(%f, subtract(%n, 1)))
  }
}
)relay";

}  // namespace

const Ref<SourceFile>& preludeSource() {
  static const Ref<SourceFile> kSource = make<SourceFile>("prelude.relay", kText);
  return kSource;
}

}  // namespace rx::relay
