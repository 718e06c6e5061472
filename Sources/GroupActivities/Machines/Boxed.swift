/// A large value in memory of its own, so that its copy is a reference. It is copied itself when one of those that
/// share it changes it.
struct Boxed<Value: Sendable>: Sendable {
  /// `@unchecked Sendable`: the value is changed only while there is one reference.
  private final class Storage: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  var value: Value {
    get { storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}

extension Boxed: Equatable where Value: Equatable {
  static func == (first: Self, second: Self) -> Bool {
    first.storage === second.storage || first.value == second.value
  }
}

extension Boxed: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
