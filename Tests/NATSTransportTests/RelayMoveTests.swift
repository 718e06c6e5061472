import BrokerTesting
import GroupActivities
import Relay
import Testing

@testable import NATSTransport

/// A participant's way between the relays of its party.
@Suite("Moving between a party's relays")
struct RelayMoveTests {
  private let key = AdmissionKey()
  private var subject: String { PartySubjects(admissionPublicKey: key.publicKey).everyone }

  private func address(_ relay: Relay) throws -> Invite.Address {
    let port = try #require(relay.boundPort)
    return try #require(Invite.Address(host: "127.0.0.1", port: port))
  }

  private func route(_ number: UInt64, _ address: Invite.Address) -> RelayRoute {
    RelayRoute(
      owner: Participant.ID(high: 0, low: number), addresses: [address], reached: [address],
      isPresent: true)
  }

  @Test("When the relay in use is gone, all its clients meet at the next one")
  func nextRelay() async throws {
    let (first, second, third) = (
      try await Relay.started(key), try await Relay.started(key), try await Relay.started(key)
    )
    let addresses = [try address(first), try address(second), try address(third)]
    let routes = addresses.enumerated().map { route(UInt64($0), $1) }
    let clients = try (0..<4).map { _ in try NATSTransport.to([addresses[0].text], key) }
    let recorders = clients.map { EventRecorder($0) }
    for (client, recorder) in zip(clients, recorders) {
      try await client.connect()
      try await recorder.connected()
      try await client.subscribe(to: subject)
      client.setRelays(routes)
    }
    await first.shutdown()
    for recorder in recorders {
      #expect(try await recorder.connected() == addresses[1].text)
    }
    try clients[0].publish(Array("hello".utf8), to: subject)
    for recorder in recorders.dropFirst() { #expect(try await recorder.text() == "hello") }
    for client in clients { await client.close() }
    for relay in [second, third] { await relay.shutdown() }
  }

  @Test(
    "A relay that returns has all clients again, and nothing is lost or doubled while they move")
  func betterRelay() async throws {
    let (first, second) = (try await Relay.started(key), try await Relay.started(key))
    let addresses = [try address(first), try address(second)]
    let routes = addresses.enumerated().map { route(UInt64($0), $1) }
    // Both begin at the second one, as an old invite may lead there.
    let clients = try (0..<2).map { _ in try NATSTransport.to([addresses[1].text], key) }
    let recorders = clients.map { EventRecorder($0) }
    for (client, recorder) in zip(clients, recorders) {
      try await client.connect()
      try await recorder.connected()
      try await client.subscribe(to: subject)
    }
    let sender = Task {
      for number in 0..<400 {
        try clients[0].publish(Array("\(number)".utf8), to: subject)
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    // They move at different instants.
    clients[0].setRelays(routes)
    try await recorders[0].connected()
    clients[1].setRelays(routes)
    var numbers: [String] = []
    while numbers.last != "399" { numbers.append(try await recorders[1].text()) }
    try await sender.value
    #expect(numbers == (0..<400).map { "\($0)" })
    #expect(clients.allSatisfy { $0.server?.description == addresses[0].text })
    for client in clients { await client.close() }
    for relay in [first, second] { await relay.shutdown() }
  }

  @Test(
    "A relay that is about to stop waits until its clients have left, and none of them loses its connection"
  )
  func retirement() async throws {
    let (first, second) = (try await Relay.started(key), try await Relay.started(key))
    let addresses = [try address(first), try address(second)]
    let client = try NATSTransport.to([addresses[0].text], key)
    let recorder = EventRecorder(client)
    try await client.connect()
    try await recorder.connected()
    try await client.subscribe(to: subject)
    client.setRelays(addresses.enumerated().map { route(UInt64($0), $1) })
    #expect(await first.clientCount() == 1)
    await first.retire(within: .seconds(60))
    #expect(await first.clientCount() == 0)
    await first.shutdown()
    #expect(try await recorder.connected() == addresses[1].text)
    let losses = recorder.events.filter { if case .disconnected = $0 { true } else { false } }
    #expect(losses.isEmpty)
    await client.close()
    await second.shutdown()
  }

  @Test("An offered relay counts as reached only if it admits the party")
  func reached() async throws {
    try await withRelay(key) { relay in
      let address = try address(relay)
      #expect(await NATSTransport.reaches(address, admission: key, logger: .silent))
      #expect(
        await NATSTransport.reaches(address, admission: AdmissionKey(), logger: .silent) == false)
    }
  }
}
