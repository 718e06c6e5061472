import GroupActivities

/// An address `HOST:PORT`. The port 0 means any free port, and the host `*` means all addresses.
package struct ListenAddress: Hashable, Sendable {
  package var host: String
  package var port: Int

  /// The usual address of a door for friends with Syncplay.
  package static let syncplay = ListenAddress(portOrAddress: "8999")!

  package init?(argument: String) {
    // The security behind a plus is an option of its own here.
    guard !argument.contains("+") else { return nil }
    if argument.hasPrefix("*:"), let all = ListenAddress(argument: "0.0.0.0" + argument.dropFirst())
    {
      (host, port) = ("*", all.port)
    } else if argument.hasSuffix(":0"), let address = Invite.Address(argument.dropLast(2) + ":1") {
      (host, port) = (address.host, 0)
    } else if let address = Invite.Address(argument) {
      (host, port) = (address.host, address.port)
    } else {
      return nil
    }
  }

  /// - Parameter text: `[HOST:]PORT`; a port alone means all addresses.
  package init?(portOrAddress text: String) {
    self.init(argument: text.contains(":") ? text : "*:" + text)
  }
}
