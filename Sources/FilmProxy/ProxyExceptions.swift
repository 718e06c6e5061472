import Foundation

/// The environment's list of hosts that are reached without a proxy (`no_proxy`). FFmpeg and other programs' tools obey
/// it, whichever proxy they are given.
package enum ProxyExceptions {
  private static let names = ["no_proxy", "NO_PROXY"]
  /// The lists at the start of the program.
  private static let own: [String: String] = names.reduce(into: [:]) { values, name in
    values[name] = getenv(name).map { String(cString: $0) }
  }

  /// The user's list; empty without one.
  package static var text: String { own[names[0]] ?? "" }

  /// Turns the list on or off for this process and the processes that it starts.
  ///
  /// It only replaces the values of existing variables: a thread that reads the environment meanwhile gets the old
  /// value or the new one.
  package static func setEffective(_ isEffective: Bool) {
    for (name, value) in own {
      // No host contains a slash. An empty list would match each host that ends with a dot.
      setenv(name, isEffective ? value : "/", 1)
    }
  }
}
