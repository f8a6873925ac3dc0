// A blank node of every type, to be filled from data; private to core/script.
#pragma once

#include "core/ir/all_nodes.h"

namespace rx::script {

/// Converts to the empty value of whatever a constructor takes.
struct Blank {
  template <class U>
  requires(!std::is_base_of_v<Node, std::remove_cvref_t<U>>) operator U() const { return U{}; }
};

/// A new node whose fields have no meaning yet: whoever asks sets all of them. Owned by the caller.
template <class T>
T* blankNode() {
  const tir::PrimExpr zero = tir::intImm(0);
  constexpr Blank b;
  // Constructors that look into their arguments come first.
  if constexpr (std::is_same_v<T, relax::FuncStructInfo>) {
    return new T(*relax::FuncStructInfo::opaque(relax::objectSinfo(), false));
  } else if constexpr (std::is_base_of_v<tir::BinaryNode, T>) {
    return new T(zero, zero);
  } else if constexpr (std::is_same_v<T, tir::Not> || std::is_same_v<T, relax::PrimValue>) {
    return new T(zero);
  } else if constexpr (std::is_same_v<T, tir::Select>) {
    return new T(zero, zero, zero);
  } else if constexpr (std::is_same_v<T, tir::Let>) {
    return new T(nullptr, zero, zero);
  } else if constexpr (std::is_same_v<T, tir::Reduce>) {
    return new T(nullptr, {zero}, {}, nullptr, 0, {});
  } else if constexpr (std::is_same_v<T, relax::SeqExpr>) {
    return new T({}, nullptr, relax::objectSinfo());
  } else if constexpr (std::is_same_v<T, relax::Function>) {
    return new T({}, nullptr, relax::objectSinfo(), true);
  } else if constexpr (std::is_same_v<T, tir::PrimFunc>) {
    return new T({}, {}, nullptr, nullptr);
  } else if constexpr (std::is_same_v<T, relax::TensorStructInfo>) {
    return new T(DataType::Void(), relax::kUnknownDim);
  } else if constexpr (std::is_same_v<T, relax::ShapeStructInfo>) {
    return new T(relax::kUnknownDim);
  } else if constexpr (std::is_same_v<T, relax::PrimStructInfo>) {
    return new T(DataType::Int(64));
  } else if constexpr (std::is_default_constructible_v<T>) {
    return new T();
  } else if constexpr (requires { T(b); }) {
    return new T(b);
  } else if constexpr (requires { T(b, b); }) {
    return new T(b, b);
  } else if constexpr (requires { T(b, b, b); }) {
    return new T(b, b, b);
  } else if constexpr (requires { T(b, b, b, b); }) {
    return new T(b, b, b, b);
  } else {
    return new T(b, b, b, b, b);
  }
}

}  // namespace rx::script
