/// Returns the first element that fulfils the condition, within twenty seconds.
///
/// - Returns: nil if the stream ends before.
/// - Throws: ``TooLate``.
public func first<Element: Sendable>(
  of stream: AsyncStream<Element>, where isWanted: @escaping @Sendable (Element) -> Bool
) async throws -> Element? {
  try await withThrowingTaskGroup(of: Element?.self) { group in
    group.addTask {
      for await element in stream where isWanted(element) { return element }
      return nil
    }
    group.addTask {
      try await Task.sleep(for: .seconds(20))
      throw TooLate()
    }
    defer { group.cancelAll() }
    return try await group.next()!
  }
}

/// An awaited event that didn't happen within the time limit.
public struct TooLate: Error {
  /// Creates the error.
  public init() {}
}
