/// Sets of chunks. They arrive in order for the most part, so that a few ranges describe many of them.
extension RangeSet<Int> {
  /// The number of chunks.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  func containsAll(_ range: Range<Int>) -> Bool {
    range.isEmpty || self.range(containing: range.lowerBound)?.upperBound ?? 0 >= range.upperBound
  }

  func intersects(_ range: Range<Int>) -> Bool {
    let index = firstRange(endingAfter: range.lowerBound)
    return index < ranges.count && ranges[index].lowerBound < range.upperBound
  }

  /// Returns the whole range that contains a chunk; nil if the chunk isn't in the set.
  func range(containing chunk: Int) -> Range<Int>? {
    let index = firstRange(endingAfter: chunk)
    guard index < ranges.count, ranges[index].contains(chunk) else { return nil }
    return ranges[index]
  }

  /// Returns the set's largest ranges, in order.
  func largest(_ limit: Int) -> [Range<Int>] {
    guard ranges.count > limit else { return Array(ranges) }
    return ranges.sorted { $0.count > $1.count }.prefix(limit).sorted {
      $0.lowerBound < $1.lowerBound
    }
  }

  private func firstRange(endingAfter chunk: Int) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= chunk { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
