import Crypto
import Foundation
import GroupActivities
import Testing
import Timekeeping

@testable import Doors

@Suite("The conversation with a client of Syncplay's protocol")
struct SyncplaySessionTests {
  private var session: SyncplaySession
  private var now = HostTime(nanoseconds: 1_000_000_000_000)
  private let key = Insecure.MD5.hash(data: Data("secret".utf8)).map { String(format: "%02x", $0) }
    .joined()

  init() { session = SyncplaySession(password: "secret", keeper: "Ana", at: now) }

  private mutating func say(_ line: String) -> [SyncplaySession.Effect] {
    session.received(Array(line.utf8), at: now)
  }

  private mutating func wait(_ seconds: Double) -> [SyncplaySession.Effect] {
    var effects: [SyncplaySession.Effect] = []
    let end = now + .seconds(seconds)
    while let due = session.nextDeadline, due <= end {
      now = max(now, due)
      effects += session.timerFired(at: now)
    }
    now = end
    return effects
  }

  /// A client that is in the party with a film, paused at the party's position of 30 s.
  private mutating func enter() {
    _ = say(
      #"{"Hello":{"username":"Kim","room":{"name":"den"},"password":"\#(key)","version":"1.2.255","realversion":"1.6.9"}}"#
    )
    _ = session.entered(as: "Kim", at: now)
    session.moved(to: MediaTime(seconds: 30), rate: 0, at: now)
    _ = say(#"{"Set":{"file":{"name":"a.mkv","duration":600,"size":123}}}"#)
    // Its player has settled.
    for _ in 0..<4 { _ = wait(0.9) + state(30) }
  }

  private mutating func state(
    _ position: Double, paused: Bool = true, seeks: Bool = false, server: Int? = nil,
    client: Int? = nil
  ) -> [SyncplaySession.Effect] {
    let counts = [server.map { "\"server\":\($0)" }, client.map { "\"client\":\($0)" }]
      .compactMap { $0 }.joined(separator: ",")
    return say(
      #"{"State":{"playstate":{"position":\#(position),"paused":\#(paused)\#(seeks ? ",\"doSeek\":true" : "")},"ping":{"clientLatencyCalculation":5},"ignoringOnTheFly":{\#(counts)}}}"#
    )
  }

  private func messages(_ effects: [SyncplaySession.Effect]) -> [JSONValue] {
    effects.compactMap { if case .send(let bytes) = $0 { JSONValue(bytes) } else { nil } }
  }

  private func states(_ effects: [SyncplaySession.Effect]) -> [JSONValue] {
    messages(effects).compactMap { $0["State"] }
  }

  private mutating func order(
    _ action: GuestOrder.Action, at position: Double, in delay: Double = 0
  ) -> [SyncplaySession.Effect] {
    session.ordered(
      .init(
        number: 7, action: action, position: MediaTime(seconds: position),
        date: now + .seconds(delay),
        rate: action == .play ? 1 : 0, by: "Ana"), at: now)
  }

  @Test("The place in a client's own list, before it has the party's, chooses no film")
  mutating func choosesNothing() {
    _ = say(
      #"{"Hello":{"username":"Kim","room":{"name":"den"},"password":"\#(key)","version":"1.2.255","realversion":"1.6.9"}}"#
    )
    _ = session.entered(as: "Kim", at: now)
    _ = session.listed(.init(names: ["a.mkv", "b.mkv"], index: 1))
    #expect(say(#"{"Set":{"playlistChange":{"files":["a.mkv"]}}}"#).isEmpty)
    #expect(say(#"{"Set":{"playlistIndex":{"index":0}}}"#).isEmpty)
    _ = say(#"{"Set":{"file":{"name":"a.mkv","duration":600,"size":123}}}"#)
    _ = wait(6)
    #expect(say(#"{"Set":{"playlistIndex":{"index":0}}}"#).contains(.choose(0)))
  }

  @Test("A client whose film isn't the party's is left alone, until it is")
  mutating func apart() {
    enter()
    session.watchesApart(true)
    session.moved(to: MediaTime(seconds: 90), rate: 1, at: now)
    let effects = wait(3) + state(12, paused: false, client: 3)
    #expect(states(effects).count > 1 && states(effects).allSatisfy { $0["playstate"] == nil })
    #expect(states(effects).last?["ignoringOnTheFly"]?["client"] == 3)
    #expect(!effects.contains { if case .play = $0 { true } else { false } })
    session.watchesApart(false)
    #expect(states(wait(2)).contains { $0["playstate"] != nil })
  }

  // MARK: - Coming in

  @Test(
    "Refused connections get the messages of Syncplay's own server",
    arguments: [
      (#"{"Hello":{"username":"a","room":{"name":"d"},"version":"1.6.9"}}"#, "Password required"),
      (
        #"{"Hello":{"username":"a","room":{"name":"d"},"version":"1.6.9","password":"x"}}"#,
        "Wrong password supplied"
      ),
      (
        #"{"Hello":{"username":"","room":{"name":"d"},"version":"1.6.9"}}"#,
        "Not enough Hello arguments"
      ),
      (#"{"Hello":{"username":"a","version":"1.6.9"}}"#, "Not enough Hello arguments"),
      (#"{"Hello":{"username":"a","room":{"name":"d"}}}"#, "Not enough Hello arguments"),
      (#"{"List":null}"#, "You must be known to server before sending this command"),
      (#"{"Set":{}}"#, "You must be known to server before sending this command"),
      (#"{"Foo":1}"#, "Unknown command 1"), ("{foo", "Not a json encoded string {foo"),
    ])
  mutating func refuses(line: String, reason: String) {
    let effects = say(line)
    #expect(messages(effects) == [["Error": ["message": .string(reason)]]])
    #expect(effects.last == .close)
    #expect(say(#"{"List":null}"#) == [])
  }

  @Test("Bytes that aren't UTF-8, deep values and silence end a connection")
  mutating func hostileBytes() {
    #expect(
      messages(session.received([0xFF, 0xFE], at: now)) == [
        ["Error": ["message": "Not a utf-8 string"]]
      ])
    #expect(JSONValue(Array((String(repeating: "[", count: 17)).utf8)) == nil)
    let deep = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
    #expect(JSONValue(Array(deep.utf8)) != nil)
    #expect(JSONValue(Array("[\(deep)]".utf8)) == nil)
    var silent = SyncplaySession(password: "secret", keeper: "Ana", at: now)
    #expect(silent.timerFired(at: now + SyncplaySession.greetingTime) == [.close])
  }

  @Test("A client that asks for TLS gets it if the door has a certificate, and once")
  mutating func asksForTLS() {
    let question = #"{"TLS":{"startTLS":"send"}}"#
    #expect(messages(say(question)) == [["TLS": ["startTLS": "false"]]])
    session = SyncplaySession(password: "secret", keeper: "Ana", offersTLS: true, at: now)
    let effects = say(question)
    #expect(messages(effects) == [["TLS": ["startTLS": "true"]]] && effects.last == .secure)
    #expect(!session.isEncrypted)
    session.secured()
    #expect(session.isEncrypted)
    #expect(messages(say(question)) == [["TLS": ["startTLS": "false"]]])
  }

  @Test(
    "A line in the clear after the question for TLS ends the connection: anyone could have sent it")
  mutating func injects() {
    session = SyncplaySession(password: "secret", keeper: "Ana", offersTLS: true, at: now)
    _ = say(#"{"TLS":{"startTLS":"send"}}"#)
    #expect(say(#"{"List":null}"#) == [.close])
    session.secured()
    #expect(!session.isEncrypted)
  }

  @Test("A client comes in with the password")
  mutating func comesIn() {
    let hello =
      #"{"Hello":{"username":"Kim","room":{"name":"den"},"password":"\#(key)","version":"1.2.255","realversion":"1.6.9"}}"#
    #expect(say(hello) == [.enter(name: "Kim")])
    let answer = messages(session.entered(as: "Kim_", at: now))
    #expect(answer.map { $0.object?.keys.first } == ["Set", "Set", "Set", "Hello"])
    #expect(answer.last?["Hello"]?["username"] == "Kim_")
    #expect(answer.last?["Hello"]?["version"] == "1.6.9")
    let joined = messages(session.participantsChanged(to: [.init(name: "Ana", isReady: true)]))
    #expect(joined.first?["Set"]?["user"]?["Ana"]?["event"]?["joined"] == true)
    let left = messages(session.participantsChanged(to: []))
    #expect(left.first?["Set"]?["user"]?["Ana"]?["event"]?["left"] == true)
  }

  // MARK: - The client's own affairs

  @Test("What a client reports by itself moves nobody: joining at the start, a lag, a freeze")
  mutating func ownAffairs() {
    enter()
    #expect(!state(0).contains { $0 == .seek(.zero) || $0 == .play })
    // A client that stays behind is taken along.
    let taken = (0..<3).flatMap { _ in wait(0.6) + state(0) }
    #expect(states(taken).contains { $0["playstate"]?["doSeek"] == true })
    _ = state(30, server: 1)
    // After a freeze it jumps back, and says so as if its user had.
    _ = wait(5)
    let thawed = state(25, seeks: true, client: 1)
    #expect(states(thawed).first?["playstate"]?["position"] == 30)
    #expect(!thawed.contains(.seek(MediaTime(seconds: 25))))
  }

  @Test(
    "A pause, a start and a jump of its user are commands, and the states before the answer don't undo them"
  )
  mutating func commands() {
    enter()
    let effects = state(30, paused: false, client: 1)
    #expect(effects.last == .play)
    #expect(states(effects).first?["ignoringOnTheFly"]?["client"] == 1)
    #expect(states(effects).first?["playstate"]?["paused"] == false)
    #expect(states(wait(1.9)) == [])
    #expect(states(wait(0.2)).first?["playstate"]?["paused"] == true)
    #expect(state(31, client: 2).last == .pause)
    #expect(state(90, seeks: true, client: 3).last == .seek(MediaTime(seconds: 90)))
    // A file that isn't open yet has no commands.
    var empty = Self()
    _ = empty.say(
      #"{"Hello":{"username":"Kim","room":{"name":"den"},"password":"\#(key)","version":"1.6.9"}}"#)
    _ = empty.session.entered(as: "Kim", at: now)
    #expect(empty.state(0, paused: false, client: 1) == [])
  }

  @Test("A command that the party refuses is taken back")
  mutating func refused() {
    enter()
    _ = state(30, paused: false, client: 1)
    let effects = session.refused("Only hosts control playback.", at: now)
    #expect(messages(effects).first?["Chat"]?["message"] == "Only hosts control playback.")
    #expect(states(effects).first?["playstate"]?["paused"] == true)
  }

  /// The effects by which a client moves the party.
  private func moves(_ effects: [SyncplaySession.Effect]) -> [SyncplaySession.Effect] {
    effects.filter {
      switch $0 {
      case .play, .pause, .seek, .rate, .choose, .ready(false): true
      case .send, .secure, .enter, .ended, .say, .ready, .opened, .done, .lost, .back, .lead,
        .close:
        false
      }
    }
  }

  /// The party plays, and the client along.
  private mutating func play(at position: Double) {
    session.moved(to: MediaTime(seconds: position), rate: 1, at: now)
    _ = order(.play, at: position)
    _ = state(position, paused: false, server: 1)
  }

  @Test("No way of joining at the start moves anyone", arguments: UInt64(0)..<200)
  mutating func joinsAtStart(seed: UInt64) {
    var random = Dice(state: seed)
    session.moved(to: MediaTime(seconds: 300), rate: seed % 2 == 0 ? 1 : 0, at: now)
    _ = say(
      #"{"Hello":{"username":"Kim","room":{"name":"den"},"password":"\#(key)","version":"1.6.9"}}"#)
    var effects = session.entered(as: "Kim", at: now)
    effects += session.listed(.init(names: ["a.mkv", "b.mkv"], index: 0))
    effects += say(#"{"Set":{"ready":{"isReady":false,"manuallyInitiated":false}}}"#)
    var count = 0
    for step in 0..<12 {
      effects += wait(.random(in: 0.02...0.24, using: &random))
      if step == 2 {
        effects += say(#"{"Set":{"file":{"name":"a.mkv","duration":600,"size":123}}}"#)
        effects += say(#"{"Set":{"playlistChange":{"files":["/home/kim/a.mkv"]}}}"#)
        effects += say(#"{"Set":{"playlistIndex":{"index":0}}}"#)
      }
      // Its player opens the film, begins at the start, or goes there, and reports or announces that.
      let announces = Bool.random(using: &random)
      if announces { count += 1 }
      effects += state(
        .random(in: 0...0.5, using: &random), paused: .random(using: &random),
        seeks: announces && .random(using: &random), client: announces ? count : nil)
    }
    #expect(moves(effects) == [], "seed \(seed)")
    // It is taken along to the party's position.
    #expect(states(effects).contains { $0["playstate"]?["position"]?.number ?? 0 >= 300 })
  }

  @Test("No freeze moves anyone, however the player thaws", arguments: UInt64(0)..<200)
  mutating func freezes(seed: UInt64) {
    var random = Dice(state: seed)
    enter()
    play(at: 30)
    for _ in 0..<3 { _ = wait(1) + state(30, paused: false) }
    let frozen = Double.random(in: 2.6...11, using: &random)
    var effects = wait(frozen)
    for step in 0..<6 {
      effects += wait(.random(in: 0.05...0.3, using: &random))
      effects += state(
        .random(in: 28...50, using: &random), paused: .random(using: &random),
        seeks: .random(using: &random), client: Bool.random(using: &random) ? step + 1 : nil)
    }
    #expect(moves(effects) == [], "seed \(seed)")
  }

  /// The position of a client that leads since the party was at 30 s.
  private func leading(since begun: HostTime) -> Double { 30.33 + (now - begun).inSeconds }

  /// Lets such a client play, and returns the times at which it is moved.
  private mutating func jumps(in seconds: Int, since begun: HostTime) -> [Double] {
    var times: [Double] = []
    for _ in 0..<seconds {
      let effects = wait(1) + state(leading(since: begun), paused: false)
      guard let count = states(effects).last?["ignoringOnTheFly"]?["server"]?.number else {
        continue
      }
      times.append((now - begun).inSeconds)
      _ = state(leading(since: begun), paused: false, server: Int(count))
    }
    return times
  }

  @Test("A lead that stays after a freeze is repaired by one jump, and not again and again")
  mutating func repairs() {
    enter()
    play(at: 30)
    let begun = now
    let first = jumps(in: 100, since: begun)
    #expect(first.count == 3 && first[0] <= 8 && first[1] - first[0] >= 30, "\(first)")
    // The next freeze is another cause.
    _ = wait(4) + state(leading(since: begun), paused: false)
    #expect(jumps(in: 10, since: begun).count == 1)
  }

  @Test("A lead below the limit, or one that jitters, is left alone", arguments: [0.12, 0.4])
  mutating func leavesAlone(lead: Double) {
    enter()
    play(at: 30)
    var effects: [SyncplaySession.Effect] = []
    for second in 1...60 {
      let jitter = lead > 0.15 && second % 2 == 0 ? 0.2 : 0
      effects += wait(1) + state(30 + Double(second) + lead - jitter, paused: false)
    }
    #expect(!states(effects).contains { $0["ignoringOnTheFly"]?["server"] != nil })
  }

  @Test("A client whose own latency a freeze has spoiled gets positions that make up for it")
  mutating func spoiledLatency() {
    enter()
    play(at: 30)
    let begun = now
    func party() -> Double { 30 + (now - begun).inSeconds }
    for trip in [0.01, 0.01, 0.01, 5.0] {
      let stamp = states(wait(1)).last?["ping"]?["latencyCalculation"]?.number ?? 0
      _ = say(
        #"{"State":{"playstate":{"position":\#(party()),"paused":false},"ping":{"latencyCalculation":\#(stamp),"clientLatencyCalculation":5,"clientRtt":\#(trip)}}}"#
      )
    }
    // Its average is 0.76 s then, and it goes ahead by half of what is left of that.
    let sent = states(wait(1)).last?["playstate"]?["position"]?.number ?? 0
    #expect(abs(party() - sent - 0.32) < 0.01)
  }

  // MARK: - The list, roles and rates

  @Test("The client has the party's list: its user chooses a film there, and edits are undone")
  mutating func list() {
    #expect(session.listed(.init(names: ["a.mkv"], index: 0)) == [])
    enter()
    let shown = messages(session.listed(.init(names: ["a.mkv", "b.mkv"], index: 0)))
    #expect(shown.first?["Set"]?["playlistChange"]?["files"] == .array(["a.mkv", "b.mkv"]))
    #expect(shown.last?["Set"]?["playlistIndex"]?["index"] == 0)
    #expect(say(#"{"Set":{"playlistIndex":{"index":1}}}"#) == [.choose(1)])
    #expect(say(#"{"Set":{"playlistIndex":{"index":7}}}"#) == [])
    let refused = messages(session.refusedFilm("Only hosts control playback."))
    #expect(refused.last?["Set"]?["playlistIndex"]?["index"] == 0)
    let edited = messages(say(#"{"Set":{"playlistChange":{"files":["c.mkv"]}}}"#))
    #expect(edited.first?["Set"]?["playlistChange"]?["files"] == .array(["a.mkv", "b.mkv"]))
    #expect(edited.last?["Chat"]?["username"] == "Matinee")
    let next = messages(session.listed(.init(names: ["a.mkv", "b.mkv"], index: 1)))
    #expect(next.map { $0["Set"]?["playlistIndex"]?["index"] } == [1])
  }

  @Test("At the end of its copy a client goes on, rewinds and pauses by itself, and moves nobody")
  mutating func endsByItself() {
    enter()
    _ = session.listed(.init(names: ["a.mkv", "b.mkv"], index: 0))
    play(at: 597)
    _ = wait(1) + state(598, paused: false)
    #expect(moves(say(#"{"Set":{"playlistIndex":{"index":1}}}"#)) == [])
    #expect(moves(state(0, paused: false, seeks: true, client: 1)) == [])
    _ = state(598, paused: false, server: 2)
    #expect(state(599.9, client: 2).last == .ended(at: MediaTime(seconds: 599.9)))
  }

  @Test("A client that knows rates follows the party's, and its user changes it")
  mutating func rates() {
    _ = say(
      #"{"Hello":{"username":"Kim","room":{"name":"den"},"password":"\#(key)","version":"1.8.0","features":{"speedSync":true}}}"#
    )
    #expect(session.hasRates)
    _ = session.entered(as: "Kim", at: now)
    _ = say(#"{"Set":{"file":{"name":"a.mkv","duration":600,"size":123}}}"#)
    _ = wait(4)
    session.moved(to: MediaTime(seconds: 30), rate: 1.5, at: now)
    #expect(states(wait(2)).last?["playstate"]?["speed"] == 1.5)
    let line =
      #"{"State":{"playstate":{"position":33,"paused":true,"speed":2},"ignoringOnTheFly":{"client":1}}}"#
    _ = state(33)
    _ = wait(2.1) + state(33)
    #expect(say(line).contains(.rate(2)))
  }

  @Test("Those who alone control playback are marked, and a room's password gives no role")
  mutating func roles() {
    enter()
    _ = session.participantsChanged(to: [.init(name: "Ana", controls: true)])
    let list = messages(say(#"{"List":null}"#)).first?["List"]?["den"]
    #expect(list?["Ana"]?["controller"] == true && list?["Kim"]?["controller"] == false)
    let answer = messages(
      say(#"{"Set":{"controllerAuth":{"room":"den","password":"AB-123-456"}}}"#))
    #expect(answer.first?["Set"]?["controllerAuth"]?["success"] == false)
    #expect(answer.last?["Chat"]?["username"] == "Matinee")
  }

  @Test("The start waits for a client whose user says so, not for one that has just come in")
  mutating func readiness() {
    enter()
    let byItself = say(#"{"Set":{"ready":{"isReady":false,"manuallyInitiated":false}}}"#)
    #expect(byItself.count == 1 && messages(byItself).first?["Set"]?["ready"]?["isReady"] == false)
    #expect(
      say(#"{"Set":{"ready":{"isReady":false,"manuallyInitiated":true}}}"#).last == .ready(false))
    #expect(
      say(#"{"Set":{"ready":{"isReady":true,"manuallyInitiated":false}}}"#).last == .ready(true))
    let list = messages(say(#"{"List":null}"#)).first?["List"]?["den"]
    #expect(list?["Kim"]?["isReady"] == true)
  }

  // MARK: - Orders

  @Test("An order is done once the client confirms it, and an older confirmation doesn't count")
  mutating func confirms() {
    enter()
    let effects = order(.seek, at: 60)
    #expect(states(effects).first?["ignoringOnTheFly"]?["server"] == 1)
    #expect(states(effects).first?["playstate"]?["position"] == 60)
    #expect(!state(30, server: 0).contains(.done(7, at: nil)))
    #expect(state(60, server: 1) == [.done(7, at: nil)])
  }

  @Test(
    "A playing client pauses before it goes elsewhere, so that it doesn't play on between the two")
  mutating func pausesFirst() {
    enter()
    session.moved(to: MediaTime(seconds: 30), rate: 1, at: now)
    _ = order(.play, at: 30)
    _ = state(30, paused: false, server: 1)
    #expect(states(order(.seek, at: 60)).first?["playstate"]?["doSeek"] == false)
    let second = state(30.2, server: 2)
    #expect(states(second).first?["playstate"]?["doSeek"] == true)
    #expect(state(60, server: 3) == [.done(7, at: nil)])
  }

  @Test("A start is sent early by the latency")
  mutating func startsEarly() {
    enter()
    let stamp = now
    now = now + .milliseconds(80)
    _ = say(
      #"{"State":{"playstate":{"position":30,"paused":true},"ping":{"latencyCalculation":\#(stamp.seconds)}}}"#
    )
    #expect(order(.play, at: 30, in: 0.5) == [.done(7, at: nil)])
    #expect(session.nextDeadline.map { $0 < now + .milliseconds(470) } == true)
    let start = states(wait(0.5)).last
    #expect(start?["playstate"]?["paused"] == false && start?["playstate"]?["doSeek"] == false)
  }

  @Test("A client that doesn't answer is lost, then back, and gone after Syncplay's own limit")
  mutating func silence() {
    enter()
    _ = order(.seek, at: 60)
    #expect(wait(5.1).contains(.lost))
    #expect(state(60, server: 1).contains(.back))
    #expect(wait(13).last == .close)
  }

  // MARK: - Chat and files

  @Test("A chat message is cut with a mark, and waits until the client has a player")
  mutating func chat() {
    _ = say(
      #"{"Hello":{"username":"Kim","room":{"name":"den"},"password":"\#(key)","version":"1.6.9"}}"#)
    _ = session.entered(as: "Kim", at: now)
    #expect(session.said("early", by: "Ana") == [])
    let released = say(#"{"Set":{"file":{"name":"a","duration":1,"size":1}}}"#)
    #expect(messages(released).first?["Chat"]?["message"] == "early")
    let long = messages(session.said(String(repeating: "é", count: 200), by: "Ana"))
    #expect(long.first?["Chat"]?["message"]?.string == String(repeating: "é", count: 149) + "…")
    #expect(say(#"{"Chat":"hello"}"#) == [.say("hello")])
  }

  @Test("Files are compared by name, size and duration, raw or hashed, and hidden parts are equal")
  func files() throws {
    let file = SyncplayFile(name: "A Film (2020).mkv", duration: 600, size: "123")
    func other(_ json: String) throws -> SyncplayFile {
      try #require(JSONValue(Array(json.utf8)).flatMap(SyncplayFile.init))
    }
    let same = [
      #"{"name":"A.Film.[2020].mkv","duration":602,"size":123}"#,
      #"{"name":"**Hidden filename**","duration":600.4,"size":0}"#,
      #"{"name":"\#(sha("AFilm2020mkv"))","duration":600,"size":"\#(sha("123"))"}"#,
    ]
    for json in same {
      let comparison = try file.comparison(with: other(json))
      #expect(comparison.name && comparison.size && comparison.duration, "\(json)")
    }
    let different = try file.comparison(with: other(#"{"name":"B.mkv","duration":603,"size":1}"#))
    #expect(!different.name && !different.size && !different.duration)
  }

  private func sha(_ text: String) -> String {
    SHA256.hash(data: Data(text.utf8)).prefix(6).map { String(format: "%02x", $0) }.joined()
  }

  @Test("Lines end with CR LF, whatever pieces they arrive in, and have a limit")
  func lines() {
    var splitter = LineSplitter()
    #expect(splitter.append(Array("a\r\nb\nc\r".utf8)) == [Array("a".utf8)])
    #expect(splitter.append(Array("\n".utf8)) == [Array("b\nc".utf8)])
    #expect(splitter.append([UInt8](repeating: 0, count: LineSplitter.limit)) == [])
    #expect(splitter.append([0]) == nil)
  }
}

/// SplitMix64.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
