import Foundation

/// The environment's list of hosts that are reached without a proxy (`no_proxy`), which FFmpeg and tools of other
/// programs obey whatever proxy they are given.
public enum ProxyExceptions {
  private static let names = ["no_proxy", "NO_PROXY"]
  /// The lists at the program's start.
  private static let own: [String: String] = names.reduce(into: [:]) { values, name in
    values[name] = getenv(name).map { String(cString: $0) }
  }

  /// The user's list; empty without one.
  public static var text: String { own[names[0]] ?? "" }

  /// Turns the list on or off for this process and those that it starts.
  ///
  /// Replaces the value of a variable that exists: a thread that reads the environment meanwhile gets either.
  public static func setEffective(_ isEffective: Bool) {
    for (name, value) in own {
      // No host contains a slash. An empty list would match each host with a dot at its end.
      setenv(name, isEffective ? value : "/", 1)
    }
  }
}
