import Foundation
import TerminalUI
import Timekeeping

/// Models to draw, as an application would make them.
package enum Samples {
  package static let invite =
    "matinee://192.168.178.23:62846,[2001:db8::17]:62846/k7f3qzp2mx5wv4j6tbhn#Yq3vX8mPzL0aTf5KcRw2Hg"

  package static let roster: [RosterEntry] = [
    RosterEntry(
      name: "Ana", isSelf: true, role: .host, state: .ready,
      note: .syncError(.microseconds(400))),
    RosterEntry(
      name: "Ben", state: .ready,
      note: .syncError(.milliseconds(-340))),
    RosterEntry(name: "Chi", state: .preparing, note: .text("loading…")),
    RosterEntry(name: "Dee", state: .away, note: .text("stepped away")),
  ]

  package static let chat: [ChatEntry] = [
    ChatEntry(id: 1, hour: 21, minute: 38, .note("The party is open.")),
    ChatEntry(id: 2, hour: 21, minute: 38, .did("joined", by: "Ben")),
    ChatEntry(id: 3, hour: 21, minute: 39, .did("joined", by: "Chi")),
    ChatEntry(id: 4, hour: 21, minute: 39, .said("everybody got popcorn?", by: "Ana", isOwn: true)),
    ChatEntry(id: 5, hour: 21, minute: 40, .said("look at that!", by: "Ben", isOwn: false)),
    ChatEntry(id: 6, hour: 21, minute: 41, .did("went to 12:30", by: "Ana")),
    ChatEntry(
      id: 7, hour: 21, minute: 41,
      .said(
        "the shot over the harbour was all done in one take, if you believe it", by: "Chi",
        isOwn: false)),
  ]

  package static let item = ItemModel(
    title: "Countdown", subtitle: "Matinee's own test reels",
    details: [
      .init(name: "Video", value: "1920×1080, 25 fps, H.264"),
      .init(name: "Audio", value: "English, stereo"),
      .init(name: "Subtitles", value: "English"),
      .init(name: "Chapter", value: "3 of 12: The harbour"),
    ])

  package static let transport = TransportModel(
    status: .playing, itemTime: MediaTime(seconds: 761), duration: MediaTime(seconds: 6130),
    buffered: [MediaTime(seconds: 700)..<MediaTime(seconds: 2900)], volume: 80)

  package static let library = LibraryModel(
    location: "/Media", title: "Media", hasParent: true,
    entries: [
      .init(id: "talks", kind: .folder, title: "Talks", note: "4 titles"),
      .init(id: "countdown", kind: .film, title: "Countdown", note: "2:00", isCurrent: true),
      .init(id: "orbits", kind: .film, title: "Orbits", note: "2:10"),
      .init(id: "tides", kind: .film, title: "Tides and other slow things", note: "3:05"),
      .init(id: "bells", kind: .audio, title: "Bells", note: "2:00"),
    ])

  /// A party at its best.
  package static let playing = ScreenModel(
    item: item, transport: transport,
    party: PartyModel(name: "crisp-otter", link: .encrypted, invite: invite, isHost: true),
    roster: roster, chat: chat, library: library, ownName: "Ana")

  /// The screen of DESIGN.md: somebody isn't ready yet.
  package static let waiting = {
    var model = playing
    model.transport.status = .waiting
    model.waiting = WaitingModel(waitingFor: ["Chi"], remaining: .milliseconds(2400))
    return model
  }()

  /// Two minutes of a guest that strayed, was nudged back, and sought once.
  package static let sync: SyncModel = {
    var samples: [SyncModel.Sample] = []
    for tick in 0..<480 {
      let seconds = Double(tick) / 4
      let time = HostTime(nanoseconds: 5_000_000_000 + Int64(seconds * 1e9))
      if tick == 240 { samples.append(.init(time: time, isEvent: true)) }
      // A gap while everybody gets ready again.
      guard !(240..<260).contains(tick) else { continue }
      let age = seconds < 60 ? seconds : seconds - 65
      let error = 4 * pow(0.9, age) * (seconds < 60 ? 1 : -1) + 0.2 * sin(seconds)
      samples.append(
        .init(
          time: time, error: .microseconds(Int(error * 1000)), uncertainty: .microseconds(700),
          nudge: 1 - error / 2000, roundTrip: .microseconds(1200 + Int(300 * sin(seconds / 7))),
          clockUncertainty: .microseconds(500 + tick % 40 * 10)))
    }
    return SyncModel(
      samples: samples,
      others: [
        .init(
          name: "Ben", error: .microseconds(-1100), uncertainty: .microseconds(300)),
        .init(name: "Chi"), .init(name: "Dee", error: .milliseconds(130)),
      ], clock: .measured)
  }()

  /// Just started.
  package static let alone = ScreenModel(
    library: {
      var library = Samples.library
      library.entries[1].isCurrent = false
      return library
    }(), ownName: "Ana")

  /// Everything that could be wrong at once.
  package static let hostile = {
    let bell = "\u{7}\u{1B}[2J\u{1B}]0;owned\u{7}\u{9B}31m"
    let flood = String(repeating: "Ӝ̴̢̛̰́͆͝", count: 30)
    var model = playing
    model.item?.title = TerminalText("\(bell)Title \u{202E}desrever\u{202C} \(flood)")
    model.item?.subtitle = TerminalText("日本語の映画 👩‍👩‍👧‍👦 🇩🇪 e\u{301}")
    model.party?.name = TerminalText("\u{2066}isolated\u{2069}\nsecond line")
    model.roster = [
      RosterEntry(
        name: TerminalText("漢字漢字漢字漢字漢字漢字漢字漢字"), isSelf: true, role: .host, state: .ready),
      RosterEntry(name: TerminalText(flood), state: .away, note: .text(TerminalText(bell + flood))),
      RosterEntry(
        name: TerminalText("👍🏽👩‍💻❤️\u{200D}🔥"), state: .preparing,
        note: .syncError(.seconds(-90000))),
      RosterEntry(name: TerminalText(""), state: .ready, note: .syncError(.zero)),
    ]
    model.chat = [
      ChatEntry(
        id: 8, hour: 0, minute: 0,
        .said(
          TerminalText(bell + "\u{1B}Pq#0\u{1B}\\" + flood), by: TerminalText(flood), isOwn: false)),
      ChatEntry(
        id: 9, hour: 23, minute: 59,
        .said(TerminalText(String(repeating: "漢字かな", count: 40)), by: "👩‍👩‍👧‍👦", isOwn: false)),
      ChatEntry(
        id: 10, hour: 23, minute: 59,
        .said(TerminalText("tabs\tand\r\nlines\u{2028}\u{85}end"), by: "x", isOwn: true)),
    ]
    model.library.title = TerminalText("\u{1B}c漢" + flood)
    model.library.entries.append(
      .init(
        id: "evil", kind: .film, title: TerminalText("\u{1B}[8m" + flood),
        note: TerminalText("漢字\u{1B}")))
    model.message = MessageModel(
      TerminalText(bell + "Can't open \u{1B}[5mhttp://evil/\(flood)"), severity: .error)
    return model
  }()
}
