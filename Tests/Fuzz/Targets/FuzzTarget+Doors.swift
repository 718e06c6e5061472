import Foundation
import GroupActivities
import Timekeeping

@testable import Doors

extension FuzzTarget {
  static let doors = [page, door, syncplay, room]

  /// A message of a page, opened.
  static let page = FuzzTarget(
    "page",
    seeds: [
      #"{"t":"enter","name":"Mia","plays":["avc1","aac"]}"#, #"{"t":"seek","to":12.5}"#,
      #"{"t":"source","kind":"own","name":"a","size":1,"duration":60,"hash":"sha256:0"}"#,
      #"{"t":"fetch","stream":1,"from":0,"audio":null}"#,
      #"{"t":"done","n":1,"ok":true,"at":1.5}"#,
      #"{"t":"report","error":0.001,"uncertainty":0.001}"#, #"{"t":"vote","yes":true}"#,
    ].map { Array($0.utf8) },
    isAccepted: { PageRequest($0) != nil }
  ) { bytes in
    switch PageRequest(bytes) {
    case .seek(let position), .ended(let position), .fetch(_, let position, _),
      .more(_, let position):
      try hold(abs(position) <= 604_800, "a position of \(position) s")
    case .stalled(_, let percent): try hold((0...100).contains(percent ?? 0), "\(percent ?? 0) %")
    case .enter(_, let plays): try hold(plays.count <= 16, "\(plays.count) formats")
    case .clock, .play, .pause, .rate, .say, .react, .vote, .rename, .ready, .apart, .back, .source,
      .got,
      .subtitles, .done, .report, .bye, nil:
      break
    }
  }

  /// Whatever a stranger sends to a door.
  static let door = FuzzTarget(
    "door", seeds: [[UInt8](repeating: 1, count: 200), [2] + [UInt8](repeating: 0, count: 60)]
  ) { bytes in
    let now = HostTime(nanoseconds: 1)
    var door = DoorMachine(
      invite: invite, keeper: "Ana", random: SystemRandomNumberGenerator(), at: now)
    let effects = door.received(hello: bytes, at: now) + door.received(frame: bytes, at: now)
    try hold(effects.isEmpty, "a stranger gets an answer")
  }

  /// A conversation of a client of Syncplay's protocol, who knows the password.
  static let syncplay = FuzzTarget(
    "syncplay",
    seeds: [
      #"{"State":{"playstate":{"position":12.5,"paused":false,"doSeek":true},"ping":{"latencyCalculation":1,"clientLatencyCalculation":1795213516.7,"clientRtt":0.1},"ignoringOnTheFly":{"server":1,"client":1}}}"#,
      #"{"Set":{"file":{"name":"a.mkv","duration":600.0,"size":123},"ready":{"isReady":true},"room":{"name":"den"}}}"#,
      #"{"Set":{"file":{"name":"**Hidden filename**","duration":1e300,"size":"a1b2"}}}"#,
      #"{"Chat":"hello","List":null,"TLS":{"startTLS":"send"}}"#,
      #"{"Set":{"playlistChange":{"files":["a.mkv"]},"playlistIndex":{"index":1},"controllerAuth":{"room":"d","password":"AB-123-456"}}}"#,
      #"{"State":{"playstate":{"position":12.5,"paused":true,"speed":1.5},"ignoringOnTheFly":{"client":2}}}"#,
    ].map { Array($0.utf8) + [13, 10] }
  ) { bytes in
    var now = HostTime(nanoseconds: 1)
    var session = SyncplaySession(password: "", keeper: "Ana", at: now)
    _ = session.received(
      Array(
        #"{"Hello":{"username":"K","room":{"name":"d"},"password":"d41d8cd98f00b204e9800998ecf8427e","version":"1","features":{"speedSync":true}}}"#
          .utf8), at: now)
    _ = session.entered(as: "K", at: now)
    session.moved(to: MediaTime(seconds: 30), rate: 1, at: now)
    _ = session.listed(.init(names: ["a.mkv", "b.mkv"], index: 0))
    var splitter = LineSplitter()
    for line in splitter.append(bytes) ?? [] {
      now = now + .milliseconds(500)
      let effects = session.received(line, at: now) + session.timerFired(at: now)
      for case .send(let bytes) in effects {
        try hold(JSONValue(bytes) != nil, "an answer that is no JSON")
      }
      for case .seek(let position) in effects {
        try hold(position.seconds >= 0, "a jump to \(position)")
      }
      for case .choose(let index) in effects { try hold(index == 1, "film \(index) of the list") }
      for case .rate(let rate) in effects { try hold(rate > 0, "a rate of \(rate)") }
      if let file = session.file {
        try hold(file.name.count <= SyncplayFile.nameLimit, "a name of \(file.name.count)")
        _ = file.comparison(with: file)
      }
    }
  }

  /// The conversation of a server of Syncplay's protocol with a member of one of its rooms.
  static let room = FuzzTarget(
    "room",
    seeds: [
      #"{"State":{"playstate":{"position":12.5,"paused":false,"doSeek":true,"setBy":"Kim"},"ping":{"latencyCalculation":1,"clientLatencyCalculation":1795213516.7,"serverRtt":0.1},"ignoringOnTheFly":{"server":1,"client":1}}}"#,
      #"{"State":{"playstate":{"position":1e300,"paused":true,"setBy":null}}}"#,
      #"{"Set":{"user":{"Kim":{"room":{"name":"d"},"file":{"name":"a.mkv","duration":600.0,"size":123},"event":{"joined":true}}},"ready":{"username":"Kim","isReady":true}}}"#,
      #"{"List":{"d":{"Kim":{"file":{},"controller":false,"isReady":null},"Leo":{}}},"Chat":{"username":"Kim","message":"hello"}}"#,
      #"{"Set":{"playlistChange":{"user":"Kim","files":["a.mkv","/b/c.mkv"]},"playlistIndex":{"user":"Kim","index":1},"controllerAuth":{"user":"A","room":"d","success":true}}}"#,
      #"{"Error":{"message":"startTLS"}}"#, #"{"TLS":{"startTLS":"true"}}"#,
      #"{"Hello":{"username":"A_","motd":"hello","features":{"maxChatMessageLength":-1e300}}}"#,
    ].map { Array($0.utf8) + [13, 10] }
  ) { bytes in
    var now = HostTime(nanoseconds: 1_000_000_000)
    var member = SyncplayMember(
      try RoomAddress("syncplay://localhost/d"), name: "A", requiresTLS: false,
      operatorPassword: "", at: now)
    var effects = member.begin(password: nil, at: now) + member.connected(at: now)
    for line in [#"{"TLS":{"startTLS":"false"}}"#, #"{"Hello":{"username":"A"}}"#] {
      effects += member.received(Array(line.utf8), at: now)
    }
    effects += member.opened(SyncplayFile(name: "a.mkv", duration: 600, size: "1"), at: now)
    var splitter = LineSplitter()
    for line in splitter.append(bytes) ?? [] {
      now = now + .milliseconds(500)
      effects += member.moved(
        SyncplayLine(position: MediaTime(seconds: 30), date: now, rate: 1), isWaiting: false,
        isLinked: true, at: now)
      effects += member.received(line, at: now) + member.timerFired(at: now)
      try hold(effects.count <= 300, "\(effects.count) effects of a line")
      try holdSensible(effects)
      effects = []
      let people = member.people.all
      try hold(people.count <= RoomPeople.limit, "\(people.count) people")
      try hold(people.values.allSatisfy { ($0.file?.name.count ?? 0) <= 250 }, "a long name")
      if let position = member.position(at: now)?.seconds {
        try hold((-1...700_000).contains(position), "a room at \(position)")
      }
    }
  }

  private static func holdSensible(_ effects: [SyncplayMember.Effect]) throws {
    for effect in effects {
      switch effect {
      case .send(let bytes):
        try hold(JSONValue(bytes) != nil, "an answer that is no JSON")
        try hold(bytes.count <= LineSplitter.limit, "an answer of \(bytes.count) bytes")
      case .order(let order):
        let position = order.room.position.seconds
        try hold((0...604_801).contains(position), "an order to \(position)")
      case .notice(let text), .warning(let text):
        try hold(text.count <= 2000, "a text of \(text.count)")
      case .listed(let name, _): try hold(!name.contains("/"), "a path")
      case .connect, .disconnect, .secure, .entered, .refused, .peopleChanged, .said, .invited,
        .over:
        break
      }
    }
  }

  private static let invite = Party.Founding().invite(
    addresses: [Invite.Address(host: "127.0.0.1", port: 1)!])
}
