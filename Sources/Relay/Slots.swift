/// A collection whose identifiers are indices, so that finding an element needs no hash.
///
/// An identifier is never used twice, and the identifier of a removed element finds none.
struct Slots<Element: Sendable>: Sendable {
  private struct Slot: Sendable {
    var number = 0
    var element: Element?
  }

  private var slots: ContiguousArray<Slot> = []
  private var free: [Int32] = []
  /// Indices of removed elements that may not be used again yet.
  private var retired: [Int32] = []
  private var nextNumber = 1

  private(set) var count = 0

  /// - Parameter make: makes the element; its argument is the element's identifier.
  mutating func insert(_ make: (SlotID<Element>) -> Element) -> SlotID<Element> {
    let index: Int32
    if let last = free.popLast() {
      index = last
    } else {
      index = Int32(slots.count)
      slots.append(Slot())
    }
    let id = SlotID<Element>(number: nextNumber, index: index)
    nextNumber += 1
    count += 1
    slots[Int(index)] = Slot(number: id.number, element: make(id))
    return id
  }

  @discardableResult
  mutating func remove(_ id: SlotID<Element>) -> Element? {
    guard let element = retire(id) else { return nil }
    free.append(retired.removeLast())
    return element
  }

  /// Removes an element but keeps its index from being used again until ``recycle()``, since others
  /// may still refer to it.
  mutating func retire(_ id: SlotID<Element>) -> Element? {
    guard contains(id) else { return nil }
    let element = slots[Int(id.index)].element
    slots[Int(id.index)] = Slot()
    retired.append(id.index)
    count -= 1
    return element
  }

  /// Allows new elements at the indices of retired elements.
  mutating func recycle() {
    guard !retired.isEmpty else { return }
    free += retired
    retired.removeAll(keepingCapacity: true)
  }

  func contains(_ id: SlotID<Element>) -> Bool { slots[Int(id.index)].number == id.number }

  /// - Precondition: ``contains(_:)``.
  subscript(id: SlotID<Element>) -> Element {
    _read {
      precondition(contains(id), "nothing has the number \(id.number) any more")
      yield slots[Int(id.index)].element!
    }
    _modify {
      precondition(contains(id), "nothing has the number \(id.number) any more")
      yield &slots[Int(id.index)].element!
    }
  }

  var ids: [SlotID<Element>] {
    slots.indices.lazy.filter { slots[$0].element != nil }
      .map { SlotID(number: slots[$0].number, index: Int32($0)) }
  }
}

/// An element's index in ``Slots``.
struct SlotID<Element>: Hashable, Sendable {
  /// The element's number in the order of insertion, beginning with 1.
  let number: Int
  let index: Int32
}

/// A connection's number is also its `client_id`.
typealias ConnectionID = SlotID<Connection>
typealias SubscriptionID = SlotID<Subscription>
