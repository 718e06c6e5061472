import GroupActivities
import STUN
import Testing
import Timekeeping

@testable import DirectPath

/// One machine on a clock that the test moves: what it sends, and what it believes.
@Suite("The machine of direct paths") struct PathMachineTests {
  // MARK: Candidates

  @Test("The candidates are those of the interfaces, of the router and of the relays")
  func candidates() throws {
    var bench = PathBench(hosts: [
      "192.168.1.2", "2001:db8::2", "127.0.0.1", "fe80::1", "224.0.0.1",
    ])
    #expect(bench.events == [])
    let server = try #require(SocketAddress(text: "203.0.113.1", port: 3478))
    bench.handle { $0.gather(servers: [server], at: $1) }
    let question = try #require(bench.sent.first.flatMap { STUNMessage($0.bytes) })
    let own = try #require(SocketAddress(text: "198.51.100.7", port: 9000))
    let answer = STUNMessage(.bindingResponse, question.transaction, mappedAddress: own)
    try bench.receive(answer.bytes, from: "203.0.113.1", port: 3478)
    guard case .candidates(let found) = bench.events.last else {
      Issue.record("no candidates")
      return
    }
    #expect(found.map(\.kind) == [.host, .host, .serverReflexive])
    #expect(found.last?.address == [198, 51, 100, 7])
    #expect(bench.events.count == 2)
  }

  @Test("An answer that nobody asked for changes no candidates")
  func forgedAnswer() throws {
    var bench = PathBench()
    let server = try #require(SocketAddress(text: "203.0.113.1", port: 3478))
    bench.handle { $0.gather(servers: [server], at: $1) }
    let question = try #require(bench.sent.first.flatMap { STUNMessage($0.bytes) })
    let victim = SocketAddress(text: "198.51.100.7", port: 9)
    let answer = STUNMessage(.bindingResponse, question.transaction, mappedAddress: victim)
    try bench.receive(answer.bytes, from: "203.0.113.2", port: 3478)
    let other = STUNMessage(
      .bindingResponse, STUNMessage.TransactionID(high: 1, low: 1), mappedAddress: victim)
    try bench.receive(other.bytes, from: "203.0.113.1", port: 3478)
    #expect(bench.events.count == 1)
  }

  @Test(
    "An unanswered question to a relay is repeated seven times with growing pauses, and again a minute later"
  )
  func questions() throws {
    var bench = PathBench()
    let server = try #require(SocketAddress(text: "203.0.113.1", port: 3478))
    bench.handle { $0.gather(servers: [server], at: $1) }
    bench.pass(.seconds(98))
    #expect(bench.sent.map { $0.at.inSeconds } == [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5])
    #expect(Set(bench.sent.map(\.bytes)).count == 1)
    bench.pass(.milliseconds(1600))
    #expect(bench.sent.last?.at == .milliseconds(99_500))
  }

  // MARK: Checks

  @Test(
    "Near addresses come first, then IPv6, mapped ports, and what relays saw; one check in 20 ms")
  func order() {
    var bench = PathBench(hosts: ["192.168.1.2", "2001:db8:1::2"])
    bench.open([
      ("10.9.9.9", .host), ("198.51.100.1", .serverReflexive), ("198.51.100.2", .mapped),
      ("2001:db8:2::9", .host), ("192.168.1.77", .host),
    ])
    bench.pass(.milliseconds(90))
    #expect(
      bench.sent.map(\.remote.description) == [
        "192.168.1.77:5000", "[2001:db8:2:0:0:0:0:9]:5000", "198.51.100.2:5000",
        "198.51.100.1:5000", "10.9.9.9:5000",
      ])
    #expect(bench.sent.map { $0.at.inMilliseconds } == [0, 20, 40, 60, 80])
  }

  @Test("Nothing is sent to addresses that nobody can be at, or that mean this machine")
  func forbidden() {
    var bench = PathBench()
    bench.open([
      ("0.0.0.0", .host), ("255.255.255.255", .host), ("224.0.0.251", .host), ("127.0.0.1", .host),
      ("fe80::1", .host), ("ff02::1", .host), ("::1", .host), ("::", .mapped),
      ("240.0.0.1", .mapped),
    ])
    bench.pass(.seconds(300))
    #expect(bench.sent.isEmpty)
  }

  @Test("With the option, participants on this machine are reached")
  func loopback() {
    var bench = PathBench(allowsLoopback: true, hosts: ["127.0.0.1"])
    bench.open([("127.0.0.1", .host)])
    #expect(bench.checks(to: "127.0.0.1").count == 1)
  }

  @Test("An address that never answers gets five checks in a burst, and bursts that become rare")
  func bursts() {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    bench.pass(.seconds(2))
    #expect(bench.sent.map { $0.at.inSeconds } == [0, 0.1, 0.3, 0.7, 1.5])
    bench.pass(.seconds(598))
    let begins = stride(from: 0, to: bench.sent.count, by: 5).map { bench.sent[$0].at.inSeconds }
    #expect(Array(begins.prefix(7)) == [0, 7, 24, 41, 58, 120, 182])
  }

  @Test("New candidates begin a burst at once, and the same ones don't")
  func newCandidates() {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    bench.pass(.seconds(3))
    let count = bench.sent.count
    bench.open([("198.51.100.1", .serverReflexive)])
    #expect(bench.sent.count == count)
    bench.open([("198.51.100.1", .serverReflexive), ("198.51.100.9", .mapped)])
    bench.pass(.milliseconds(20))
    #expect(bench.sent.count == count + 2)
  }

  @Test("An address gets at most 40 checks at once before it answers, from however many claims")
  func victim() {
    var bench = PathBench()
    for number in 0..<40 {
      let peer = Participant.ID(high: 9, low: UInt64(number))
      let candidates = (0..<12).compactMap { port in
        PathCandidate(
          address: [198, 51, 100, 1], port: UInt16(1000 + 12 * number + port), kind: .mapped)
      }
      let invitation = PathInvitation(
        peer: peer, key: [UInt8](repeating: UInt8(number), count: 32), isControlling: true,
        candidates: candidates)
      bench.handle { $0.open(invitation, at: $1) }
    }
    #expect(bench.machine.peers.count == 32)
    bench.pass(.seconds(60))
    #expect(bench.sent.count <= 40 + 61)
    #expect(bench.sent.count >= 40)
  }

  // MARK: Opening

  @Test("The controlling end opens a path when both ends have had an answer, and nominates it")
  func opens() throws {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    bench.pass(.milliseconds(10))
    try bench.answer(from: "198.51.100.1", isValidated: false)
    #expect(bench.opened == [])
    bench.pass(.milliseconds(60))
    try bench.answer(from: "198.51.100.1")
    #expect(bench.opened == ["198.51.100.1:5000"])
    bench.pass(.milliseconds(20))
    #expect(bench.checks(to: "198.51.100.1").last?.kind == .nomination)
  }

  @Test(
    "The controlled end opens a path when the controlling end confirms it, not when it hears so")
  func follows() throws {
    var bench = PathBench(isControlling: false)
    bench.open([("198.51.100.1", .serverReflexive)])
    bench.pass(.milliseconds(10))
    try bench.answer(from: "198.51.100.1", .response)
    try bench.receive(
      CheckPacket(.nomination, isValidated: true, transaction: 5), from: "198.51.100.1")
    #expect(bench.opened == [])
    bench.pass(.milliseconds(60))
    try bench.answer(from: "198.51.100.1")
    #expect(bench.opened == ["198.51.100.1:5000"])
  }

  @Test("A question from a new address is answered with that address, and asked back")
  func reflexive() throws {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    bench.pass(.milliseconds(30))
    try bench.receive(
      CheckPacket(.request, isValidated: false, transaction: 9), from: "203.0.113.50", port: 777)
    bench.pass(.milliseconds(20))
    let checks = bench.checks(to: "203.0.113.50")
    #expect(checks.map(\.kind) == [.response, .request])
    #expect(checks.first?.observed == SocketAddress(text: "203.0.113.50", port: 777))
    #expect(checks.first?.transaction == 9)
  }

  @Test(
    "A better path replaces the first one without a loss, and the old one is accepted for a while")
  func upgrade() throws {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive), ("192.168.1.77", .host)])
    bench.pass(.milliseconds(30))
    try bench.answer(from: "198.51.100.1")
    // Its next question, at 100 ms.
    bench.pass(.milliseconds(85))
    try bench.answer(from: "192.168.1.77")
    #expect(bench.opened == ["198.51.100.1:5000", "192.168.1.77:5000"])
    let datagram = DataPacket.bytes([1], bench.keys.outgoing)
    let count = bench.events.count
    try bench.receive(datagram, from: "198.51.100.1")
    #expect(bench.events.count == count + 1)
    bench.pass(.seconds(30))
    #expect(bench.lostCount == 1)
  }

  @Test("A path with a much shorter round trip is preferred to one of a higher rank")
  func roundTrips() throws {
    var bench = PathBench(hosts: ["192.168.1.2", "2001:db8:1::2"])
    bench.open([("198.51.100.1", .serverReflexive), ("2001:db8:2::9", .host)])
    bench.pass(.milliseconds(40))
    try bench.answer(from: "198.51.100.1")
    bench.pass(.milliseconds(55))
    try bench.answer(from: "2001:db8:2::9")
    #expect(bench.opened == ["198.51.100.1:5000"])
  }

  // MARK: Proofs

  @Test("An answer that is sent again, or to a question that was never asked, changes nothing")
  func replayedAnswer() throws {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive), ("198.51.100.2", .mapped)])
    bench.pass(.milliseconds(30))
    let question = try #require(bench.checks(to: "198.51.100.1").last)
    let answer = CheckPacket(
      .response, isValidated: true, transaction: question.transaction,
      observed: SocketAddress(text: "192.0.2.1", port: 1))
    // From another address than the one that was asked.
    try bench.receive(answer, from: "198.51.100.2")
    try bench.receive(answer, from: "198.51.100.1", port: 5001)
    var unknown = answer
    unknown.transaction ^= 1
    try bench.receive(unknown, from: "198.51.100.1")
    #expect(bench.opened == [])
    // Too late.
    bench.pass(.seconds(5))
    try bench.receive(answer, from: "198.51.100.1")
    #expect(bench.opened == [])
  }

  @Test("A packet without the key isn't answered, and a reflected one neither")
  func unauthenticated() throws {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    bench.pass(.seconds(2))
    let count = bench.sent.count
    let stranger = PathKeys(secret: [UInt8](repeating: 9, count: 32), isControlling: false)
    let request = CheckPacket(.request, isValidated: false, transaction: 1)
    try bench.receive(request.bytes(stranger.outgoing), from: "198.51.100.1")
    var forged = request.bytes(bench.keys.outgoing)
    forged[53] ^= 1
    try bench.receive(forged, from: "198.51.100.1")
    // Its own packet.
    try bench.receive(request.bytes(bench.keys.incoming), from: "198.51.100.1")
    bench.pass(.milliseconds(100))
    #expect(bench.sent.count == count)
  }

  @Test("Old questions from ever new addresses cause few checks")
  func replayedQuestions() throws {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    bench.pass(.seconds(2))
    let before = bench.sent.count
    for number in 0..<200 {
      try bench.receive(
        CheckPacket(.nomination, isValidated: true, transaction: 9),
        from: "203.0.113.\(1 + number % 200)")
      bench.pass(.milliseconds(5))
    }
    let answers = bench.sent.dropFirst(before).compactMap(\.check)
    #expect(answers.count { $0.kind.isAnswer } <= 120 + 61)
    #expect(answers.count { !$0.kind.isAnswer } <= 80)
    #expect(bench.opened == [])
  }

  @Test("Datagrams are taken from the path's address only")
  func datagrams() throws {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    let datagram = DataPacket.bytes([7], bench.keys.outgoing)
    try bench.receive(datagram, from: "198.51.100.1")
    bench.pass(.milliseconds(10))
    try bench.answer(from: "198.51.100.1")
    try bench.receive(datagram, from: "198.51.100.1", port: 5001)
    try bench.receive(datagram, from: "198.51.100.2")
    let received = bench.events.contains { if case .received = $0 { true } else { false } }
    #expect(!received)
    try bench.receive(datagram, from: "198.51.100.1")
    #expect(bench.events.last == .received(PathBench.peer, [7], at: bench.now))
  }

  @Test("A datagram leaves on an open path only, and within the limit")
  func sending() throws {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    let isSentEarly = bench.machine.send([1], to: PathBench.peer, at: bench.now) != nil
    #expect(!isSentEarly)
    bench.pass(.milliseconds(10))
    try bench.answer(from: "198.51.100.1")
    let packet = bench.machine.send([1], to: PathBench.peer, at: bench.now)
    #expect(packet?.remote == SocketAddress(text: "198.51.100.1", port: 5000))
    let tooLong = [UInt8](repeating: 0, count: PathInvitation.datagramLimit + 1)
    let isSentTooLong = bench.machine.send(tooLong, to: PathBench.peer, at: bench.now) != nil
    #expect(!isSentTooLong)
    let isSentToStranger =
      bench.machine.send([1], to: Participant.ID(high: 7, low: 7), at: bench.now) != nil
    #expect(!isSentToStranger)
  }

  // MARK: Keeping

  /// Answers each question of an open path for a while.
  private func keep(
    _ bench: inout PathBench, for duration: Duration, after delay: Duration = .zero
  ) throws {
    let end = bench.now + duration
    while bench.now < end {
      let count = bench.checks(to: "198.51.100.1").count
      bench.pass(.milliseconds(10))
      guard bench.checks(to: "198.51.100.1").count > count else { continue }
      bench.pass(delay)
      try bench.answer(from: "198.51.100.1")
    }
  }

  private func openPathBench() throws -> PathBench {
    var bench = PathBench()
    bench.open([("198.51.100.1", .serverReflexive)])
    bench.pass(.milliseconds(10))
    try bench.answer(from: "198.51.100.1")
    try keep(&bench, for: .seconds(1))
    return bench
  }

  @Test("An idle path is checked every 15 seconds, and every 1.5 seconds while datagrams flow")
  func keepAlive() throws {
    var bench = try openPathBench()
    let idle = bench.sent.count
    try keep(&bench, for: .seconds(60))
    #expect(bench.sent.count - idle == 4)
    let active = bench.sent.count
    for _ in 0..<60 {
      _ = bench.machine.send([1], to: PathBench.peer, at: bench.now)
      try keep(&bench, for: .milliseconds(500))
    }
    #expect((19...21).contains(bench.sent.count - active))
  }

  @Test(
    "A path whose round trip changes for longer is reported once more, and one that is late once isn't"
  )
  func changedRoundTrip() throws {
    var bench = try openPathBench()
    let count = bench.opened.count
    try keep(&bench, for: .seconds(16), after: .milliseconds(60))
    try keep(&bench, for: .seconds(60))
    #expect(bench.opened.count == count)
    try keep(&bench, for: .seconds(90), after: .milliseconds(60))
    #expect(bench.opened.count == count + 1)
    guard case .opened(_, let path) = bench.events.last else {
      Issue.record("no path")
      return
    }
    #expect((60...80).contains(path.roundTrip.inMilliseconds))
    #expect(bench.lostCount == 0)
  }

  @Test("A busy path without answers is lost after five seconds, and then opened again")
  func loss() throws {
    var bench = try openPathBench()
    let count = bench.opened.count
    _ = bench.machine.send([1], to: PathBench.peer, at: bench.now)
    try keep(&bench, for: .seconds(3))
    #expect(bench.lostCount == 0)
    bench.pass(.milliseconds(5100))
    #expect(bench.lostCount == 1)
    let isSent = bench.machine.send([1], to: PathBench.peer, at: bench.now) != nil
    #expect(!isSent)
    bench.pass(.milliseconds(100))
    try bench.answer(from: "198.51.100.1")
    #expect(bench.opened.count == count + 1)
  }

  @Test("A path that is closed is forgotten: its packets mean nothing any more")
  func closed() throws {
    var bench = try openPathBench()
    bench.machine.closePath(to: PathBench.peer)
    let (events, sent) = (bench.events.count, bench.sent.count)
    try bench.receive(DataPacket.bytes([7], bench.keys.outgoing), from: "198.51.100.1")
    try bench.receive(
      CheckPacket(.request, isValidated: true, transaction: 3), from: "198.51.100.1")
    bench.pass(.seconds(100))
    #expect(bench.events.count == events)
    #expect(bench.sent.count == sent)
  }

  @Test("Arbitrary bytes from the path's address change nothing")
  func arbitrary() throws {
    var bench = try openPathBench()
    var dice = PathDice(seed: 3)
    let count = bench.events.count
    for _ in 0..<5000 {
      var bytes = dice.bytes(Int(dice.number(0...80)))
      if !bytes.isEmpty { bytes[0] = dice.pick([0x00, 0x01, 0xc1, 0xc2, bytes[0]]) }
      try bench.receive(bytes, from: "198.51.100.1")
    }
    #expect(bench.events.count == count)
  }
}
