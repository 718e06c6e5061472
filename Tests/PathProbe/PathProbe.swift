import DirectPath
import Foundation
import GroupActivities
import Logging
import Reachability
import Relay
import Synchronization
import Timekeeping

/// `PathProbe peer`: direct paths of one machine, which a test drives with ``ProbeCommand`` lines and reads as
/// ``ProbeEvent`` lines. On each open path it says `NAME N` ten times a second, where N counts.
///
/// `PathProbe relay HOST PORT`: a relay with its STUN server. Both end with their standard input.
@main
enum PathProbe {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "peer" where arguments.count == 2: try await peer(arguments[1])
    case "relay" where arguments.count == 3: try await relay(arguments[1], Int(arguments[2]) ?? 0)
    default: exit(64)
    }
  }

  private static func say(_ event: ProbeEvent) {
    guard let line = try? JSONEncoder().encode(event) else { exit(70) }
    FileHandle.standardOutput.write(line + Data([10]))
  }

  private static func relay(_ host: String, _ port: Int) async throws {
    let configuration = RelayConfiguration(admission: .anyKey, host: host, port: port)
    let relay = Relay(
      configuration: configuration,
      logger: Logger(label: "relay") { _ in SwiftLogNoOpLogHandler() })
    let addresses = try await relay.start()
    say(
      .listening(
        relay: addresses.first?.description ?? "",
        stun: relay.boundSTUNAddresses.map(\.description)))
    while readLine() != nil {}
    await relay.shutdown()
  }

  private static func peer(_ name: String) async throws {
    let paths = try UDPPaths(addresses: {
      LocalAddresses.usable(among: InterfaceAddress.all(), limit: 6).map(\.text)
    })
    let open = OpenPeers()
    let reporting = Task {
      for await event in paths.events { report(event, open) }
    }
    let talking = Task {
      var count = 0
      while (try? await Task.sleep(for: .milliseconds(100))) != nil {
        count += 1
        for peer in open.peers.withLock({ $0 }) {
          paths.send(Array("\(name) \(count)".utf8), to: peer)
        }
      }
    }
    while let line = readLine() {
      handle(try JSONDecoder().decode(ProbeCommand.self, from: Data(line.utf8)), paths)
    }
    talking.cancel()
    await paths.close()
    await reporting.value
  }

  private static func handle(_ command: ProbeCommand, _ paths: UDPPaths) {
    switch command {
    case .gather(let servers):
      paths.gather(servers: servers.compactMap { Invite.Address($0) })
    case .open(let peer, let key, let isControlling, let candidates):
      guard let id = Participant.ID(peer) else { return }
      say(.invited(peer: peer, at: HostTime.now().nanoseconds))
      paths.open(
        PathInvitation(
          peer: id, key: key, isControlling: isControlling,
          candidates: candidates.compactMap(\.candidate)))
    case .close(let peer):
      if let id = Participant.ID(peer) { paths.closePath(to: id) }
    }
  }

  private static func report(_ event: DirectPathEvent, _ open: OpenPeers) {
    let now = HostTime.now().nanoseconds
    switch event {
    case .candidates(let found): say(.candidates(found.map(ProbeCandidate.init)))
    case .opened(let peer, let path):
      open.peers.withLock { _ = $0.insert(peer) }
      say(
        .opened(
          peer: "\(peer)", remote: path.remote,
          roundTripNanoseconds: path.roundTrip.inNanoseconds, at: now))
    case .lost(let peer):
      open.peers.withLock { _ = $0.remove(peer) }
      say(.lost(peer: "\(peer)", at: now))
    case .received(let peer, let content, let time):
      say(
        .received(
          peer: "\(peer)", text: String(decoding: content, as: UTF8.self), at: time.nanoseconds))
    }
  }
}

/// The participants with an open path.
private final class OpenPeers: Sendable {
  let peers = Mutex<Set<Participant.ID>>([])
}
