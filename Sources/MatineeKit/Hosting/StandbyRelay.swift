import GroupActivities
import Logging
import NATSTransport
import Reachability
import Relay
import Screening

/// This program's standby relay, and the connections to the others' that prove that they work.
@ScreeningActor
final class StandbyRelay {
  private let runner: LoopRunner
  private var relay: Relay?
  private var bridge: RelayBridge?
  /// The attempts under way.
  private var attempts: [Invite.Address: Task<Void, Never>] = [:]
  /// Counts the parties, so that a relay for one that was left is not kept.
  private var stay = 0

  init(runner: LoopRunner) { self.runner = runner }

  /// Starts a relay for a party.
  ///
  /// - Returns: its addresses; nil if this program can't listen, or the party was left. That is one relay fewer, which is
  ///   no problem of its user.
  func serve(_ party: Party) async -> OwnRelay? {
    let stay = stay
    var options = PartyHosting.Options()
    if party.invite.isForOneMachine { (options.host, options.port) = ("127.0.0.1", 0) }
    let keys = PartyHosting.admittedKeys(party.invite.secret, party.invite.party)
    guard
      let (relay, port) = try? await PartyHosting.listen(options, keys: keys, logger: .ofTransport)
    else { return nil }
    let reach = Reach(
      host: options.host, port: port, interfaces: InterfaceAddress.all(), mapping: nil)
    let addresses = reach.places.filter { $0.kind != .machine || party.invite.isForOneMachine }
      .map(\.address)
    guard stay == self.stay, self.relay == nil, !addresses.isEmpty else {
      await relay.shutdown()
      return nil
    }
    self.relay = relay
    return OwnRelay(addresses: addresses, port: port, listensOn: options.host)
  }

  /// The number of clients of the relay.
  var clientCount: Int { get async { await relay?.clientCount() ?? 0 } }

  /// Connects to another participant's relay, to find out whether it works.
  func verify(_ offer: RelayOffer, at address: Invite.Address, in party: Party) async {
    let admission = PartyKeys(secret: party.invite.secret, party: party.invite.party).admission
    let attempt = Task {
      if await NATSTransport.reaches(address, admission: admission, logger: .ofTransport),
        !Task.isCancelled
      {
        await party.relayReached(offer, at: address)
      }
    }
    attempts[address] = attempt
    await attempt.value
    attempts[address] = nil
  }

  /// Connects the relay with the relay that the party uses.
  func bridge(_ party: Party, to server: String) async throws {
    guard let relay, let new = RelayBridge(relay: relay, party: party, to: server) else { return }
    bridge = new
    do throws(TransportError) {
      try await new.start()
    } catch {
      if bridge === new { bridge = nil }
      throw error
    }
  }

  func endBridge() async { await bridge.take()?.stop() }

  /// Announces that the relay is about to stop, and waits until the others have moved.
  func retire() async { await relay?.retire(within: PartyHosting.retirementLimit) }

  /// Ends the relay.
  func end() async {
    stay += 1
    for attempt in attempts.values { attempt.cancel() }
    attempts = [:]
    let (relay, bridge) = (relay.take(), bridge.take())
    await bridge?.stop()
    await relay?.shutdown()
  }
}
