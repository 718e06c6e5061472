import GroupActivities
import STUN
import Timekeeping

/// The questions to relays for this machine's public address (STUN).
struct AddressDiscovery: Sendable {
  private struct Server: Sendable {
    let address: SocketAddress
    /// The number of the question that isn't answered yet.
    var transaction: STUNMessage.TransactionID?
    /// The number of times that it was sent.
    var sendings = 0
    var next: HostTime
    /// The time of the latest new question.
    var asked: HostTime?
    var mapped: SocketAddress?
  }

  private var servers: [Server] = []

  /// The greatest number of servers.
  static let serverLimit = 8
  /// The greatest number of addresses of one family.
  static let familyLimit = 2
  /// The intervals after each sending (RFC 8489 §6.2.1): then the question counts as unanswered.
  private static let intervals = [500, 1000, 2000, 4000, 8000, 16000, 8000]
  /// The interval of questions that keep the router's mapping and notice its changes.
  private static let refresh = Duration.seconds(25)
  /// The pause after an unanswered question.
  private static let pause = Duration.seconds(60)
  /// The shortest interval between two new questions to a server.
  private static let shortest = Duration.milliseconds(500)

  /// Replaces the servers. Those that stay keep their answers.
  mutating func setServers(_ addresses: [SocketAddress], at now: HostTime) {
    var kept: [Server] = []
    for address in addresses where !kept.contains(where: { $0.address == address }) {
      guard kept.count < Self.serverLimit else { break }
      kept.append(
        servers.first { $0.address == address } ?? Server(address: address, next: now))
    }
    servers = kept
  }

  /// Asks all servers again, because the answers may have changed.
  mutating func refresh(at now: HostTime) {
    for index in servers.indices {
      let earliest = servers[index].asked.map { $0 + Self.shortest } ?? now
      // A question that waits for its answer since a moment ago is as good as a new one.
      if servers[index].transaction != nil, now < earliest { continue }
      servers[index].transaction = nil
      servers[index].next = max(now, earliest)
    }
  }

  /// The addresses that the servers saw, without repetitions; at most ``familyLimit`` of each family.
  var mapped: [SocketAddress] {
    var found: [SocketAddress] = []
    for address in servers.compactMap(\.mapped) where !found.contains(address) {
      let count = found.count { $0.isIPv6 == address.isIPv6 }
      if count < Self.familyLimit { found.append(address) }
    }
    return found
  }

  var nextDeadline: HostTime? { servers.lazy.map(\.next).min() }

  /// Returns the questions that are due.
  mutating func timerFired(
    at now: HostTime, using random: inout RandomSource
  ) -> [(bytes: [UInt8], server: SocketAddress)] {
    var questions: [(bytes: [UInt8], server: SocketAddress)] = []
    for index in servers.indices where servers[index].next <= now {
      if servers[index].transaction == nil {
        servers[index].transaction = STUNMessage.TransactionID(using: &random)
        servers[index].sendings = 0
        servers[index].asked = now
      }
      let sendings = servers[index].sendings
      guard sendings < Self.intervals.count, let transaction = servers[index].transaction else {
        servers[index].transaction = nil
        servers[index].mapped = nil
        servers[index].next = now + Self.pause
        continue
      }
      servers[index].sendings += 1
      servers[index].next = now + .milliseconds(Self.intervals[sendings])
      questions.append(
        (STUNMessage(.bindingRequest, transaction).bytes, servers[index].address))
    }
    return questions
  }

  /// Takes an answer. Only the server that was asked can know the question's number.
  mutating func received(_ message: STUNMessage, from remote: SocketAddress, at now: HostTime) {
    guard message.kind == .bindingResponse, message.unknownAttributes.isEmpty,
      let mapped = message.mappedAddress, mapped.isUnicast,
      mapped.isIPv6 == remote.isIPv6,
      let index = servers.firstIndex(where: {
        $0.address == remote && $0.transaction == message.transaction
      })
    else { return }
    servers[index].mapped = mapped
    servers[index].transaction = nil
    servers[index].next = now + Self.refresh
  }
}
