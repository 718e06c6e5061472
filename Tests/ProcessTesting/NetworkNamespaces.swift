import Foundation

/// Network namespaces for one test, which touch none of this machine's networks. They are deleted with this value.
package final class NetworkNamespaces {
  private let id = UUID().uuidString.prefix(8)
  private var made: [String] = []

  package init() {}

  deinit {
    for name in made { _ = try? ChildProcess.run(["ip", "netns", "delete", name]) }
  }

  /// Tries commands in a namespace, and prints the error if one fails.
  ///
  /// - Parameter commands: returns the commands for the namespace with this name.
  /// - Returns: whether this machine lets a test run them.
  package static func areAllowed(_ commands: (_ name: String) -> [[String]]) -> Bool {
    let namespaces = NetworkNamespaces()
    do {
      let name = try namespaces.make("probe")
      for command in commands(name) { try ChildProcess.run(command) }
      return true
    } catch {
      print("no network namespaces: \(error)")
      return false
    }
  }

  /// Makes a namespace, whose loopback interface is up.
  ///
  /// - Parameter label: a short name, unique in this value.
  /// - Returns: the system's name of it.
  @discardableResult
  package func make(_ label: String) throws -> String {
    let name = name(label)
    try ChildProcess.run(["ip", "netns", "add", name])
    made.append(name)
    try ip(name, "link set lo up")
    return name
  }

  /// Returns the system's name of a namespace.
  package func name(_ label: String) -> String { "matinee-\(id)-\(label)" }

  /// Runs a program in a namespace.
  @discardableResult
  package func run(_ name: String, _ arguments: [String]) throws -> String {
    try ChildProcess.run(["ip", "netns", "exec", name] + arguments)
  }

  /// Runs `ip` for a namespace.
  package func ip(_ name: String, _ words: String) throws {
    try ChildProcess.run(["ip", "-n", name] + words.split(separator: " ").map(String.init))
  }
}
