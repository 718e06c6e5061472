import ArgumentParser
import GroupActivities

/// An address `HOST:PORT`. The port 0 means any free port, and the host `*` means all addresses.
struct ListenAddress: ExpressibleByArgument, Sendable {
  var host: String
  var port: Int

  init?(argument: String) {
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
}
