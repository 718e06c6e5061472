import DrawTogether
import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

@testable import Screening

/// At least one example of each kind of event, under the name of its golden file.
enum EventExamples {
  static let ana = Participant(id: .init(high: 0, low: 1), name: "Ana", role: .host)
  static let ben = Participant(id: .init(high: 0, low: 2), name: "Ben", role: .coHost)
  private static let date = Date(timeIntervalSince1970: 1_780_000_000)
  private static let life = ScreeningEvent.Film(item: "sha256:01", title: "Life", url: nil)
  private static let stream = ScreeningEvent.Film(
    item: "url:https://films.example/a.mp4", title: "a.mp4", url: "https://films.example/a.mp4")

  private static var roster: [ScreeningEvent.RosterEntry] {
    let host = ScreeningEvent.RosterEntry(ana, isMe: true)
    var other = ScreeningEvent.RosterEntry(ben, isMe: false)
    other.ready = true
    other.suspensions = ["stallRecovery"]
    other.item = "sha256:01"
    other.syncErrorMs = -3.25
    other.syncUncertaintyMs = 0.5
    other.loadedPercent = 40
    other.arrivedPercent = 35
    other.otherCopy = true
    other.door = .init(.init(.browser, keeper: ana.id)) { _ in "Ana" }
    other.door?.uploadMbps = 6.5
    return [host, other]
  }

  private static var state: ScreeningState {
    var state = ScreeningState()
    state.film.item = "sha256:01"
    state.film.title = "Life"
    state.film.duration = 5400.04
    state.film.playlist = [.init(life, isCurrent: true), .init(stream, isCurrent: false)]
    state.playback.status = .waiting
    state.playback.rate = 1.5
    state.playback.position = 12.345678
    state.playback.groupPosition = 12.5
    state.playback.waitingFor = ["Ben"]
    state.playback.suspensions = ["steppedAway"]
    state.playback.mayControl = false
    state.player.playerPosition = 12.25
    state.player.playerPaused = false
    state.player.nudge = 1.002
    state.player.latencyOffsetMs = -12.5
    state.player.syncErrorMs = -1.5
    state.player.syncUncertaintyMs = 0.25
    state.clock.groupTime = 1000.5
    state.clock.offsetMs = 0.125
    state.clock.uncertaintyMs = 0.75
    state.clock.wallClocks = 1
    state.clock.roundTripMs = 1.25
    state.clock.clockDriftPpm = -2.5
    state.company.party = ana.id
    state.company.roster = roster
    state.company.connected = true
    state.company.rejected = 2
    state.company.closedBy = "Ana"
    return state
  }

  static let all: [(name: String, event: ScreeningEvent)] = program + party + films + library

  private static let program: [(name: String, event: ScreeningEvent)] = [
    ("ready", .ready(version: "1.0")),
    ("notice", .notice("Volume 80 %")),
    ("warning", .warning("No audio device – playing without sound")),
    ("error", .failed("There is no file \"/a\\b\".")),
    ("error-of-command", .failed("Unknown command.", command: "plai")),
    ("state", .state(state)),
    ("state-empty", .state(ScreeningState())),
    ("missed", .missed(12)),
    ("latency-offset", .latencyOffset(.milliseconds(-12.5), device: "Speaker")),
    ("latency-offset-without-device", .latencyOffset(.milliseconds(180), device: nil)),
    ("video", .video(.terminal, isClosed: true)),
    ("open-wanted", .openWanted("/films/life.mkv")),
    ("changed", .changed), ("quit-wanted", .quitWanted), ("user-quit", .userQuit),
  ]

  private static let party: [(name: String, event: ScreeningEvent)] = [
    ("party", .announced(name: "calm-otter", party: ana.id, addresses: ["192.168.1.5:62846"])),
    (
      "hosting",
      .hosting(
        .init(
          invite: "matinee://192.168.1.5:62846/1#secret",
          addresses: [.init(address: "192.168.1.5:62846", kind: "lan")]))
    ),
    (
      "invite",
      .reach(
        .init(
          invite: "matinee://8.8.4.4:62846/1#secret",
          addresses: [.init(address: "8.8.4.4:62846", kind: "public")], router: "mapped",
          announced: true, advice: "Forward the port.", news: "Friends can connect."))
    ),
    ("joined", .joined(.init(ana), isHost: true)),
    ("participants", .participants(roster)),
    ("participant-joined", .participantJoined(.init(ben), wasHere: true)),
    ("participant-left", .participantLeft(.init(ben), announced: false)),
    ("renamed", .renamed(.init(ben), from: "Benjamin")),
    ("met", .met(.init(ben), .init(name: "Benny", last: date))),
    ("chat", .chat(.init(ben), "hello \"there\"")),
    (
      "earlier-chat",
      .earlierChat([EarlierLine(.init(ana), "hello", secondsAgo: 90)], from: .init(ben))
    ),
    ("countdown", .countdown(3)),
    ("reaction", .reaction(.init(ben), .applause)),
    ("vote", .vote(.init(.rewind, by: "Ana", isAccepted: nil, yes: 1, of: 3))),
    ("vote-over", .vote(.init(.skip, by: "Ana", isAccepted: true, yes: 2, of: 3))),
    ("echo", .echo(.init(.init(name: "Ben", text: "ha", itemTime: .init(seconds: 61.5))))),
    (
      "moment",
      .moment(.init(title: "Life", position: .init(seconds: 61.5), names: ["Ana", "Ben"]))
    ),
    (
      "rules",
      .rules(
        .init(
          by: "Ana", control: .hosts, endsWithHost: true, waitFor: .nobody, closed: true,
          changes: ["limited control of playback to hosts"]))
    ),
    (
      "rules-of-everyone",
      .rules(
        .init(
          by: "Ana", control: .everyone, endsWithHost: false, waitFor: .everyone, closed: false,
          changes: []))
    ),
    ("action", .action(.init(.queued, title: "Life"), by: .init(ben))),
    ("ready-check", .readyCheck(by: "Ana")),
    ("attention", .attention),
    ("connected", .connected("127.0.0.1:62846")),
    ("disconnected", .disconnected("Connection Closed")),
    ("ended", .sessionEnded(by: "Ana")),
    ("party-closed", .partyClosed(by: "Ana")),
    ("left", .left(closing: true)),
  ]

  private static let films: [(name: String, event: ScreeningEvent)] = [
    ("opened", .opened(item: "sha256:01", title: "Life")),
    ("activity", .activity(life, by: "Ana", .chosen)),
    ("activity-of-stream", .activity(stream, by: "Ben", .following)),
    ("playlist", .playlist([.init(life, isCurrent: false), .init(stream, isCurrent: true)])),
    ("playlist-empty", .playlist([])),
    (
      "command",
      .command(
        CoordinatedChange(
          kind: .seek, originator: ben.id, itemTime: MediaTime(seconds: 754.25), rate: 1.5),
        by: "Ben")
    ),
    ("waiting", .waiting(for: ["Ana", "Ben"], seconds: 4.5)),
    ("waiting-over", .waiting(for: [], seconds: 0)),
    ("suspension", .suspension(["stallRecovery", "steppedAway"])),
    ("resuming", .resuming(at: MediaTime(seconds: 61.5))),
    ("resume-offered", .resumeOffered(at: MediaTime(seconds: 61.5))),
    ("resume-offered-over", .resumeOffered(at: nil)),
    ("replay-ended", .replayEnded(.caughtUp)),
    ("end-of-film", .ended(continues: true)),
    (
      "confirm",
      .mayOpen(
        .init(
          host: "192.168.1.9", origin: "http://192.168.1.9:631", url: "http://192.168.1.9:631/x",
          isInOwnNetwork: true))
    ),
    (
      "confirm-with-copy",
      .mayOpen(
        .init(
          host: "films.example", origin: "https://films.example",
          url: "https://films.example/a.mkv", isInOwnNetwork: false,
          copy: .init(title: "a", path: "/films/a.mkv", facts: "2:00, yours 2:00")))
    ),
    (
      "share-copy",
      .mayShare(
        .init(
          film: "Orbits", size: 4_100_000_000, copy: "/films/orbits.mkv",
          difference: "24 s longer"))
    ),
    ("share-take", .mayShare(.init(film: "Orbits", size: 4_100_000_000, from: "Ana"))),
    (
      "share-subtitles",
      .mayShare(.init(film: "Orbits", size: nil, subtitles: "orbits.fr.srt", to: ["Ben"]))
    ),
    ("share-give", .mayShare(.init(film: "Orbits", size: nil, to: ["Ben", "Chi"]))),
    (
      "drawing",
      .drawing(
        .init(
          isDrawing: true,
          strokes: [
            .init(by: "Ana", points: [PicturePoint(x: 0, y: 1), PicturePoint(x: 0.25, y: 0.5)])
          ]))
    ),
    ("drawing-empty", .drawing(.init())),
    ("drawing-began", .drawingBegan(by: "Ben", again: true)),
  ]

  private static let library: [(name: String, event: ScreeningEvent)] = [
    ("library", .library(.init(phase: .reading, seen: 9, read: 2, toRead: 5, unreadable: 1))),
    (
      "folders",
      .listed(
        .folders([
          .init(path: "/films", titles: 3, isAway: false, scanned: date),
          .init(path: "/away", titles: 1, isAway: true, scanned: nil),
        ]))
    ),
    (
      "found",
      .listed(
        .found([
          .init(path: "/films/life.mkv", item: "sha256:01", duration: 5400.04),
          .init(path: "/films/new.mkv", item: nil, duration: nil),
        ]))
    ),
    (
      "parties",
      .listed(
        .parties([
          .init(
            party: ana.id.description, title: "Life", ownName: "Ben", isHost: false, last: date,
            ending: "you were removed"),
          .init(
            party: "damaged", title: nil, ownName: "Ana", isHost: true, last: date, ending: nil),
        ]))
    ),
    (
      "people",
      .listed(
        .people([
          .init(
            name: "Ben", party: ana.id.description, id: ben.id.description, met: date, last: date)
        ]))
    ),
    (
      "moments",
      .listed(
        .moments([
          .init(
            title: "Life", position: .init(seconds: 61.5), names: ["Ana", "Ben"],
            picture: "/home/ana/moment.jpg")
        ]))
    ),
    ("hosts", .listed(.hosts([.init(host: "https://films.example", since: date)]))),
    (
      "page",
      .listed(
        .page(
          .init(
            file: "/home/ana/party.html",
            links: [
              .init(
                url: "http://192.0.2.1:62846/#LINK", kind: "in your network", isSecure: false)
            ])))
    ),
    (
      "syncplay",
      .listed(
        .syncplay(
          .init(addresses: ["192.0.2.1:8999"], password: "abcd-efgh-2345", isEncrypted: false)))
    ),
  ]
}
