import Foundation
import GroupActivities
import Timekeeping

@testable import Doors

extension FuzzTarget {
  static let doors = [page, door]

  /// A message of a page, opened.
  static let page = FuzzTarget(
    "page",
    seeds: [
      #"{"t":"enter","name":"Mia","plays":["avc1","aac"]}"#, #"{"t":"seek","to":12.5}"#,
      #"{"t":"source","kind":"own","name":"a","size":1,"duration":60,"hash":"sha256:0"}"#,
      #"{"t":"fetch","stream":1,"from":0,"audio":null}"#,
      #"{"t":"done","n":1,"ok":true,"at":1.5}"#,
      #"{"t":"report","error":0.001,"uncertainty":0.001}"#,
    ].map { Array($0.utf8) },
    isAccepted: { PageRequest($0) != nil }
  ) { bytes in
    switch PageRequest(bytes) {
    case .seek(let position), .ended(let position), .fetch(_, let position, _),
      .more(_, let position):
      try hold(abs(position) <= 604_800, "a position of \(position) s")
    case .stalled(_, let percent): try hold((0...100).contains(percent ?? 0), "\(percent ?? 0) %")
    case .enter(_, let plays): try hold(plays.count <= 16, "\(plays.count) formats")
    case .clock, .play, .pause, .rate, .say, .react, .rename, .ready, .apart, .back, .source, .got,
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

  private static let invite = Party.Founding().invite(
    addresses: [Invite.Address(host: "127.0.0.1", port: 1)!])
}
