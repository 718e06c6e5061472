import Foundation
import GroupActivities
import Testing
import Timekeeping

@testable import Doors

@Suite("A member of a Syncplay room")
struct SyncplayMemberTests {
  private var now = HostTime(nanoseconds: 1_000_000_000)
  private var member = SyncplayMember(
    try! RoomAddress("syncplay://example.org/den"), name: "Ana", requiresTLS: false,
    at: HostTime(nanoseconds: 1_000_000_000))

  /// The server sends a line.
  private mutating func receive(_ line: String) -> [SyncplayMember.Effect] {
    member.received(Array(line.utf8), at: now)
  }

  private func sent(_ effects: [SyncplayMember.Effect]) -> [JSONValue] {
    effects.compactMap {
      if case .send(let bytes) = $0 { JSONValue(bytes.dropLast(2)) } else { nil }
    }
  }

  private func orders(_ effects: [SyncplayMember.Effect]) -> [RoomPlayback.Order] {
    effects.compactMap { if case .order(let order) = $0 { order } else { nil } }
  }

  /// The room's state, as the server sends it.
  private mutating func state(
    _ position: Double, paused: Bool, seeks: Bool = false, by name: String, server: Int? = nil
  ) -> [SyncplayMember.Effect] {
    let count = server.map { #", "ignoringOnTheFly": {"server": \#($0)}"# } ?? ""
    return receive(
      #"{"State": {"playstate": {"position": \#(position), "paused": \#(paused), "doSeek": \#(seeks), "setBy": "\#(name)"}, "ping": {"latencyCalculation": 1.5, "serverRtt": 0}\#(count)}}"#
    )
  }

  /// Enters the room, in which Kim watches the same film, paused at its start, and meets her there.
  private mutating func enter() {
    _ = member.begin(password: nil, at: now)
    connect()
    party(at: 0, rate: 0)
    _ = state(0, paused: true, by: "Kim")
  }

  /// Enters the room, and has watched there for seven seconds.
  private mutating func enterPlaying() {
    enter()
    party(at: 0, rate: 1)
    _ = state(0, paused: false, by: "Kim")
    now = now + .seconds(7)
    party(at: 7, rate: 1)
  }

  private mutating func connect() {
    _ = member.connected(at: now)
    _ = receive(#"{"TLS": {"startTLS": "false"}}"#)
    _ = receive(#"{"Hello": {"username": "Ana", "room": {"name": "den"}, "features": {}}}"#)
    _ = member.opened(SyncplayFile(name: "film.mkv", duration: 600, size: "1"), at: now)
    _ = receive(
      #"{"List": {"den": {"Kim": {"file": {"name": "film.mkv", "duration": 600, "size": 1}}}}}"#)
  }

  private mutating func party(at position: Double, rate: Double) {
    _ = member.moved(
      .init(position: MediaTime(seconds: position), date: now, rate: rate), isWaiting: false,
      isLinked: true, at: now)
  }

  @Test("It asks for TLS first, and greets with the password's digest only")
  mutating func greets() throws {
    #expect(member.begin(password: "secret", at: now) == [.connect])
    #expect(sent(member.connected(at: now)) == [["TLS": ["startTLS": "send"]]])
    #expect(receive(#"{"TLS": {"startTLS": "true"}}"#) == [.secure])
    let hello = try #require(sent(member.secured(at: now)).first?["Hello"])
    #expect(member.isEncrypted)
    #expect(hello["username"] == "Ana" && hello["room"]?["name"] == "den")
    #expect(hello["password"] == "5ebe2294ecd0e0f08eab7690d2a6ee69")
  }

  /// A member in the room, and the key that it told the server.
  private static func inside(_ name: String) throws -> (SyncplayMember, key: String) {
    var tests = SyncplayMemberTests()
    tests.member = SyncplayMember(
      try RoomAddress("syncplay://example.org/den"), name: name, requiresTLS: false, at: tests.now)
    _ = tests.member.begin(password: nil, at: tests.now)
    _ = tests.member.connected(at: tests.now)
    let hello = tests.sent(tests.receive(#"{"TLS": {"startTLS": "false"}}"#))
    let key = try #require(hello.first?["Hello"]?["features"]?["matinee"]?["key"]?.string)
    _ = tests.receive(#"{"Hello": {"username": "\#(name)"}}"#)
    _ = tests.member.opened(
      SyncplayFile(name: "film.mkv", duration: 600, size: "1"), at: tests.now)
    return (tests.member, key)
  }

  /// A person comes into the room.
  private static func joins(
    _ name: String, _ key: String, _ member: inout SyncplayMember
  ) -> [SyncplayMember.Effect] {
    let line =
      #"{"Set": {"user": {"\#(name)": {"room": {"name": "den"}, "event": {"joined": true, "features": {"matinee": {"key": "\#(key)"}}}}}}}"#
    return member.received(Array(line.utf8), at: HostTime(nanoseconds: 1_000_000_000))
  }

  @Test("Members with Matinee find each other, and one's invite can be read by the other only")
  mutating func findsMatinee() throws {
    var (ana, anasKey) = try Self.inside("Ana")
    var (ben, bensKey) = try Self.inside("Ben")
    var (eve, evesKey) = try Self.inside("Eve")
    let met = Self.joins("Ben", bensKey, &ana)
    #expect(met.contains { if case .notice(let text) = $0 { text.contains("Ben") } else { false } })
    #expect(sent(met).isEmpty, "the party isn't open")
    _ = Self.joins("Ana", anasKey, &ben)
    _ = Self.joins("Ana", anasKey, &eve)

    let file = try #require(sent(ana.offer(Samples.invite)).first?["Set"]?["file"])
    #expect(file["name"] == "film.mkv")
    #expect(!String(decoding: file.line, as: UTF8.self).contains("AAECAwQFBgcICQoLDA0ODw"))
    let passed: JSONValue = [
      "Set": ["user": ["Ana": ["room": ["name": "den"], "file": file]]]
    ]
    let invited = SyncplayMember.Effect.invited(Samples.invite, by: "Ana")
    #expect(ben.received(passed.line.dropLast(2), at: now).contains(invited))
    #expect(!ben.received(passed.line.dropLast(2), at: now).contains(invited), "it is the same")
    #expect(!eve.received(passed.line.dropLast(2), at: now).contains(invited))

    // A newcomer gets one too; a party that is closed again invites no one.
    #expect(sent(Self.joins("Eve", evesKey, &ana)).first?["Set"]?["file"]?["matinee"] != nil)
    let closed = try #require(sent(ana.offer(nil)).first?["Set"]?["file"])
    #expect(closed["matinee"] == nil)
  }

  @Test(
    "A key or an invite that isn't one, or is too long, is ignored",
    arguments: [
      "", "AAAA", String(repeating: "A", count: 43) + "=", String(repeating: "A", count: 90),
    ])
  func strangeKeys(key: String) throws {
    var (ana, anasKey) = try Self.inside("Ana")
    _ = ana.offer(Samples.invite)
    #expect(sent(Self.joins("Eve", key, &ana)).isEmpty)
    let line =
      #"{"Set": {"user": {"Eve": {"file": {"name": "f", "matinee": {"\#(anasKey)": "\#(String(repeating: key, count: 100))"}}}}}}"#
    let effects = ana.received(Array(line.utf8), at: now)
    #expect(!effects.contains { if case .invited = $0 { true } else { false } })
  }

  @Test("A person who invites again and again is heard now and then")
  func invitesAtARate() throws {
    var (ana, anasKey) = try Self.inside("Ana")
    var eves = RoomInvitations()
    _ = Self.joins("Eve", eves.key, &ana)
    var heard = 0
    for _ in 0..<40 {
      eves.offer(Samples.invite)
      _ = eves.seal(for: [anasKey])
      let file: JSONValue = ["name": "f", "matinee": try #require(eves.value)]
      let line: JSONValue = ["Set": ["user": ["Eve": ["file": file]]]]
      heard += ana.received(line.line.dropLast(2), at: now).count {
        if case .invited = $0 { true } else { false }
      }
      eves.offer(nil)
      _ = eves.seal(for: [anasKey])
    }
    #expect(heard == 8)
  }

  @Test("The operators of a managed room are known, from the list and when they become it")
  mutating func operators() {
    enter()
    _ = receive(#"{"Set": {"controllerAuth": {"user": "Kim", "room": "den", "success": false}}}"#)
    #expect(member.people.all["Kim"]?.isOperator == false)
    let effects = receive(
      #"{"Set": {"controllerAuth": {"user": "Kim", "room": "den", "success": true}}}"#)
    #expect(member.people.all["Kim"]?.isOperator == true && effects.contains(.peopleChanged))
    _ = receive(#"{"List": {"den": {"Kim": {"controller": false}, "Lea": {"controller": true}}}}"#)
    #expect(member.people.all["Lea"]?.isOperator == true)
    #expect(member.people.all["Kim"]?.isOperator == false)
  }

  @Test("The room's list goes along to this member's next film, but not to its first one")
  mutating func movesList() {
    enter()
    _ = receive(
      #"{"Set": {"playlistChange": {"user": "Kim", "files": ["film.mkv", "/films/b.mkv", "c.mkv"]}}}"#
    )
    _ = receive(#"{"Set": {"playlistIndex": {"user": "Kim", "index": 0}}}"#)
    func moves(_ effects: [SyncplayMember.Effect]) -> JSONValue? {
      sent(effects).compactMap { $0["Set"]?["playlistIndex"]?["index"] }.first
    }
    let next = SyncplayFile(name: "b.mkv", duration: 600, size: "1")
    _ = member.opened(nil, at: now)
    #expect(moves(member.opened(next, at: now)) == 1)
    #expect(moves(receive(#"{"Set": {"playlistIndex": {"user": "Ana", "index": 1}}}"#)) == nil)
    let strange = SyncplayFile(name: "d.mkv", duration: 600, size: "1")
    #expect(moves(member.opened(strange, at: now)) == nil)
    // The room went there by itself.
    _ = receive(#"{"Set": {"playlistIndex": {"user": "Kim", "index": 2}}}"#)
    #expect(
      moves(member.opened(SyncplayFile(name: "c.mkv", duration: 6, size: "1"), at: now)) == nil)
  }

  @Test("Lines that come before TLS has begun say nothing")
  mutating func injects() {
    _ = member.begin(password: nil, at: now)
    _ = member.connected(at: now)
    _ = receive(#"{"TLS": {"startTLS": "true"}}"#)
    #expect(receive(#"{"Hello": {"username": "Eve"}}"#) == [])
  }

  @Test("Without TLS the user is warned once; with certificates of their own it is refused")
  mutating func clear() {
    _ = member.begin(password: nil, at: now)
    _ = member.connected(at: now)
    let effects = receive(#"{"TLS": {"startTLS": "false"}}"#)
    #expect(effects.contains { if case .warning = $0 { true } else { false } })
    #expect(sent(effects).first?["Hello"] != nil)
    var strict = SyncplayMember(
      try! RoomAddress("syncplay://example.org/den"), name: "Ana", requiresTLS: true, at: now)
    _ = strict.begin(password: nil, at: now)
    _ = strict.connected(at: now)
    let refused = strict.received(Array(#"{"TLS": {"startTLS": "false"}}"#.utf8), at: now)
    #expect(refused.contains { if case .refused = $0 { true } else { false } })
    #expect(sent(refused).isEmpty)
  }

  @Test("A refusal has the server's words, and says what to do")
  mutating func refused() throws {
    _ = member.begin(password: nil, at: now)
    _ = member.connected(at: now)
    _ = receive(#"{"TLS": {"startTLS": "false"}}"#)
    let effects = receive(#"{"Error": {"message": "Password required"}}"#)
    let problem = try #require(
      effects.lazy.compactMap { if case .refused(let problem) = $0 { problem } else { nil } }.first)
    #expect(problem.kind == .password)
    #expect(problem.description.contains("Password required"))
    #expect(problem.description.contains("--password-file"))
  }

  @Test("A start, a pause and a jump of a person are that person's commands in the party")
  mutating func follows() throws {
    enter()
    now = now + .seconds(1)
    #expect(orders(state(0, paused: false, by: "Kim", server: 1)).map(\.action) == [.play])
    party(at: 0, rate: 1)
    now = now + .seconds(5)
    party(at: 5, rate: 1)
    let jump = orders(state(40, paused: false, seeks: true, by: "Kim", server: 2))
    #expect(jump.map(\.action) == [.seek] && jump.first?.by == "Kim")
    // Her player isn't there yet when her client says so.
    let position = try #require(jump.first?.room.position(at: now).seconds)
    #expect((39.85..<40).contains(position))
    party(at: 40, rate: 1)
    now = now + .seconds(5)
    #expect(orders(state(45, paused: true, by: "Kim", server: 3)).map(\.action) == [.pause])
  }

  @Test(
    "A person of whom only now something is heard has had its film open, and so has who jumps into it"
  )
  mutating func knownLate() {
    enterPlaying()
    let file = #""file": {"name": "film.mkv", "duration": 600, "size": 1}"#
    _ = receive(#"{"Set": {"user": {"Leo": {"room": {"name": "den"}, \#(file)}}}}"#)
    #expect(orders(state(0, paused: false, seeks: true, by: "Leo")).map(\.action) == [.seek])
    _ = receive(
      #"{"Set": {"user": {"Mia": {"room": {"name": "den"}, "event": {"joined": true}}}}}"#)
    _ = receive(#"{"Set": {"user": {"Mia": {"room": {"name": "den"}, \#(file)}}}}"#)
    now = now + .seconds(3)
    party(at: 3, rate: 1)
    #expect(orders(state(90, paused: false, seeks: true, by: "Mia")).map(\.action) == [.seek])
  }

  @Test("A client that goes to the room's position isn't taken for one whose user jumps there")
  mutating func arrives() {
    enterPlaying()
    #expect(orders(state(6.8, paused: false, seeks: true, by: "Kim")).isEmpty)
    #expect(orders(state(5.9, paused: false, seeks: true, by: "Kim")).map(\.action) == [.seek])
  }

  @Test("A start that takes the party along with it is one command, without a jump before it")
  mutating func startsElsewhere() throws {
    enter()
    now = now + .seconds(1)
    let start = orders(state(100, paused: false, seeks: true, by: "Kim", server: 1))
    #expect(start.map(\.action) == [.play])
    #expect(try #require(start.first).room.position(at: now).seconds > 99.8)
  }

  @Test("A start of the user just before the party meets the room isn't taken back")
  mutating func startsAtOnce() {
    enter()
    now = now + .seconds(1)
    _ = member.opened(SyncplayFile(name: "next.mkv", duration: 600, size: "1"), at: now)
    party(at: 0, rate: 1)
    #expect(sent(member.changed(.play, at: now)).isEmpty)
    let effects = state(0, paused: true, by: "Kim")
    #expect(orders(effects).isEmpty)
    #expect(sent(effects).last?["State"]?["playstate"]?["paused"] == false)
  }

  @Test("A pause says that the user isn't ready, and a start that the user is, as in Syncplay")
  mutating func readiness() {
    enter()
    func isReady(_ effects: [SyncplayMember.Effect]) -> [Bool] {
      sent(effects).compactMap { $0["Set"]?["ready"]?["isReady"]?.bool }
    }
    now = now + .seconds(3)
    party(at: 0, rate: 1)
    #expect(isReady(member.changed(.play, at: now)).isEmpty, "the user was ready")
    party(at: 1, rate: 0)
    #expect(isReady(member.changed(.pause, at: now)) == [false])
    #expect(isReady(member.changed(.seek, at: now)).isEmpty)
    party(at: 1, rate: 1)
    #expect(isReady(member.changed(.play, at: now)) == [true])
  }

  @Test("The operators' password goes to a managed room only, after each greeting")
  mutating func control() {
    let name = "+den:0690E733ACDC"
    for room in [name, "den"] {
      member = SyncplayMember(
        try! RoomAddress("syncplay://example.org/\(room)"), name: "Ana", requiresTLS: false,
        operatorPassword: "AB-123-456", at: now)
      _ = member.begin(password: nil, at: now)
      _ = member.connected(at: now)
      _ = receive(#"{"TLS": {"startTLS": "false"}}"#)
      let requests = sent(receive(#"{"Hello": {"username": "Ana"}}"#))
        .compactMap { $0["Set"]?["controllerAuth"] }
      let own: JSONValue = ["room": .string(name), "password": "AB-123-456"]
      #expect(requests == (room == name ? [own] : []))
      let answer = #"{"Set": {"controllerAuth": {"user": "Ana", "room": "", "success": SO}}}"#
      let refusal = receive(answer.replacing("SO", with: "false"))
      #expect(refusal.contains { if case .warning = $0 { true } else { false } } == (room == name))
      let success = receive(answer.replacing("SO", with: "true"))
      #expect(success.contains { if case .notice = $0 { true } else { false } } == (room == name))
    }
  }

  @Test("The room's list names the file that is next, without its folder, unless it is open")
  mutating func list() {
    enter()
    _ = receive(#"{"Set": {"playlistChange": {"files": ["/a/film.mkv", "/a/next.mkv"]}}}"#)
    #expect(receive(#"{"Set": {"playlistIndex": {"user": "Kim", "index": 0}}}"#) == [])
    #expect(
      receive(#"{"Set": {"playlistIndex": {"user": "Kim", "index": 1}}}"#)
        == [.listed("next.mkv", by: "Kim")])
    #expect(receive(#"{"Set": {"playlistIndex": {"user": "Kim", "index": 2}}}"#) == [])
  }

  @Test("The server's count goes back to it once")
  mutating func counts() {
    enter()
    let first = sent(state(0, paused: true, by: "Kim", server: 7))
    #expect(first.first?["State"]?["ignoringOnTheFly"]?["server"] == 7)
    let second = sent(state(0, paused: true, by: "Kim"))
    #expect(second.first?["State"]?["ignoringOnTheFly"] == nil)
  }

  @Test(
    "A command of the party goes to the room with a count, until which the room's states don't count"
  )
  mutating func leads() {
    enter()
    now = now + .seconds(3)
    party(at: 0, rate: 1)
    let change = sent(member.changed(.play, at: now)).first?["State"]
    #expect(change?["playstate"]?["paused"] == false)
    #expect(change?["ignoringOnTheFly"]?["client"] == 1)
    // A state from before it arrived there.
    #expect(orders(state(0, paused: true, by: "Kim")).isEmpty)
  }

  @Test(
    "Who enters the room again follows it, or takes it along to the party of others for which it speaks",
    arguments: [false, true])
  mutating func comesBack(leading leads: Bool) {
    enter()
    _ = member.end()
    _ = member.comeBack(leads: leads, at: now)
    connect()
    party(at: 50, rate: 1)
    let effects = state(0, paused: true, by: "Kim")
    #expect(orders(effects).map(\.action) == (leads ? [] : [.seek, .pause]))
    let jumps = sent(effects).contains {
      let play = $0["State"]?["playstate"]
      return play?["doSeek"] == true && play?["paused"] == false
        && abs((play?["position"]?.number ?? 0) - 50) < 1
    }
    #expect(jumps == leads)
  }

  @Test("The party's start leaves for the room when the players start, not when they get ready")
  mutating func starts() {
    enter()
    now = now + .seconds(3)
    _ = member.moved(
      .init(position: .zero, date: now, rate: 1), isWaiting: true, isLinked: true, at: now)
    #expect(sent(member.changed(.play, at: now)).isEmpty)
    let date = now + .milliseconds(300)
    #expect(sent(member.starts(at: date, now: now)).isEmpty)
    #expect(member.nextDeadline == date)
    let change = sent(member.timerFired(at: date)).first?["State"]
    #expect(change?["playstate"]?["paused"] == false)
  }

  @Test(
    "A film that a newcomer opens at its start takes nobody there: the room goes on where it was")
  mutating func newcomer() {
    enter()
    now = now + .seconds(1)
    _ = state(0, paused: false, by: "Kim", server: 1)
    now = now + .seconds(60)
    party(at: 60, rate: 1)
    _ = state(60, paused: false, by: "Kim")
    _ = receive(
      #"{"Set": {"user": {"Leo": {"room": {"name": "den"}, "event": {"joined": true}}}}}"#)
    _ = receive(
      #"{"Set": {"user": {"Leo": {"room": {"name": "den"}, "file": {"name": "film.mkv", "duration": 600, "size": 1}}}}}"#
    )
    now = now + .seconds(1)
    party(at: 61, rate: 1)
    for isJump in [true, false] {
      now = now + .milliseconds(200)
      let effects = state(0.5, paused: false, seeks: isJump, by: "Leo")
      #expect(orders(effects).isEmpty)
    }
    // It is sent to the room's position instead.
    let answers = sent(state(0.7, paused: false, by: "Leo")).compactMap { $0["State"] }
    let leads = (answers + []).contains { ($0["playstate"]?["position"]?.number ?? 60) > 50 }
    #expect(leads)
    // A jump of its user, later, counts.
    now = now + .seconds(20)
    party(at: 81, rate: 1)
    _ = receive(
      #"{"State": {"ping": {"latencyCalculation": 2, "serverRtt": 0}, "ignoringOnTheFly": {"client": 1}}}"#
    )
    #expect(orders(state(10, paused: false, seeks: true, by: "Leo")).map(\.action) == [.seek])
  }

  @Test("A small lead stays, as in Syncplay; a large one is given up")
  mutating func drift() {
    enter()
    now = now + .seconds(1)
    _ = state(0, paused: false, by: "Kim", server: 1)
    for second in 1...30 {
      now = now + .seconds(1)
      party(at: Double(second), rate: 1)
      #expect(orders(state(Double(second) - 1.2, paused: false, by: "Kim")).isEmpty)
    }
    now = now + .seconds(1)
    party(at: 31, rate: 1)
    #expect(orders(state(25, paused: false, by: "Kim")).map(\.action) == [.seek])
  }

  @Test("While both are paused, a small lead is given up too")
  mutating func pausedApart() {
    enter()
    party(at: 10.3, rate: 0)
    var found: [RoomPlayback.Order] = []
    for second in 1...8 {
      now = now + .seconds(1)
      party(at: found.isEmpty ? 10.3 : 10, rate: 0)
      found += orders(state(10, paused: true, by: "Kim"))
      #expect(found.isEmpty || second > 2)
    }
    #expect(found.map(\.action) == [.seek] && found.first?.room.position.seconds == 10)
  }

  @Test("A lost server is looked for with growing pauses, at last given up, and the film continues")
  mutating func lost() {
    enter()
    var (effects, tries) = (member.lost("it closed the connection", at: now), 0)
    #expect(effects.contains { if case .warning = $0 { true } else { false } })
    let start = now
    while !effects.contains(.over), let due = member.nextDeadline {
      now = due
      effects = member.timerFired(at: now)
      if effects.contains(.connect) {
        tries += 1
        effects = member.lost("refused", at: now)
      }
    }
    #expect(effects.contains(.over))
    #expect((180...220).contains(tries))
    #expect((600...610).contains((now - start).inSeconds))
  }

  @Test("Too many lines, and lines that are no objects, end the connection")
  mutating func hostile() {
    enter()
    #expect(receive("[1]").first == .disconnect)
    var other = self
    other.enter()
    var ended = false
    for _ in 0..<1200 where !ended { ended = other.receive("{}").contains(.disconnect) }
    #expect(ended)
  }

  @Test("More people than a party holds are left out, with a word")
  mutating func crowd() {
    enter()
    let users = (0..<50).map { #""P\#($0)": {"room": {"name": "den"}}"# }.joined(separator: ", ")
    let effects = receive("{\"Set\": {\"user\": {\(users)}}}")
    #expect(member.people.all.count == RoomPeople.limit)
    #expect(effects.contains { if case .notice = $0 { true } else { false } })
  }
}

@Suite("Addresses of rooms")
struct RoomAddressTests {
  @Test("An address has a host, perhaps a port, and a room")
  func reads() throws {
    let room = try RoomAddress("syncplay://[::1]:9000/film%20night")
    #expect(room.host == "::1" && room.port == 9000 && room.room == "film night")
    #expect(try RoomAddress("Syncplay://example.org/den").port == 8999)
  }

  @Test(
    "A bad address is explained",
    arguments: [
      ("syncplay://example.org", "lacks the room"), ("syncplay:///den", "syncplay://HOST"),
      ("syncplay://ana:secret@example.org/den", "Leave the password out"),
      ("syncplay://example.org:0/den", "between 1 and 65535"),
    ])
  func refuses(text: String, words: String) {
    #expect { try RoomAddress(text) } throws: {
      "\($0)".contains(words) && !"\($0)".contains("secret")
    }
  }
}
