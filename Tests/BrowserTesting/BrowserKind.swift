import Foundation

/// The browsers of the tests.
package enum BrowserKind: String, Sendable, CaseIterable {
  case chromium, firefox

  /// The browsers that a run of the tests tries: all of them in `make test-browsers`, which sets `BROWSERS`.
  package static let wanted: [BrowserKind] = {
    let names = ProcessInfo.processInfo.environment["BROWSERS"]?.split(separator: " ").map(
      String.init)
    return names?.compactMap(Self.init) ?? [.chromium]
  }()

  /// Starts it with a fresh profile.
  ///
  /// - Parameter environment: in addition to this process's.
  package func start(environment: [String: String] = [:]) async throws -> any Browser {
    switch self {
    case .chromium: try await Chromium(environment: environment)
    case .firefox: try await Firefox(environment: environment)
    }
  }
}
