import ScreenDemo
import Screening
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("The screen as text")
struct ScreenViewTests {
  private func picture(
    _ model: ScreenModel, _ columns: Int, _ rows: Int, state: ScreenState = ScreenState()
  )
    -> [String]
  {
    ScreenView(model: model, state: state)
      .canvas(size: ScreenSize(columns: columns, rows: rows), symbols: .unicode).text
  }

  @Test("A participant isn't ready yet, at 80×24")
  func waiting() { #expect(picture(Samples.waiting, 80, 24) == Snapshots.waiting80x24) }

  @Test("Just started, at 80×24")
  func alone() { #expect(picture(Samples.alone, 80, 24) == Snapshots.alone80x24) }

  @Test("A party at its best, at 120×40")
  func playing() { #expect(picture(Samples.playing, 120, 40) == Snapshots.playing120x40) }

  @Test("A room elsewhere isn't called encrypted, unless its connection is")
  func room() throws {
    for (isEncrypted, words) in [(true, "room, TLS"), (false, "room, not encrypted")] {
      var model = Samples.playing
      model.party?.link = .room(isEncrypted: isEncrypted)
      let title = try #require(picture(model, 80, 24).first)
      #expect(title.contains(words) && !title.contains("· encrypted"))
    }
  }

  @Test("The smallest screen, at 40×10")
  func smallest() { #expect(picture(Samples.waiting, 40, 10) == Snapshots.waiting40x10) }

  // The rules for every screen.

  private static let sizes = [
    (40, 10), (40, 40), (55, 15), (65, 24), (66, 10), (80, 24), (120, 40), (200, 60), (300, 100),
  ]

  private static let models: [(String, ScreenModel)] = {
    var busy = Samples.waiting
    busy.message = MessageModel(
      "Can't reach films.example.org: the name isn't known. Check the address, or open your own copy.",
      severity: .error)
    busy.roster += (1...30).map {
      RosterEntry(name: "Guest \($0)", state: $0 % 3 == 0 ? .preparing : .ready)
    }
    busy.waiting?.waitingFor = (1...9).map { "Guest \($0)" }
    busy.transport.isMuted = true
    busy.transport.rate = 1.25
    busy.transport.chapters = (0..<12).map { MediaTime(seconds: Double($0) * 500) }
    var failed = Samples.playing
    failed.transport.status = .suspended(
      "The file is damaged: no stream in it can be decoded by this player.")
    failed.party?.link = .reconnecting
    var bare = ScreenModel(party: PartyModel(name: "x", link: .reconnecting))
    bare.transport.duration = .zero
    busy.sync = Samples.sync
    busy.sync?.others += (1...30).map {
      .init(name: "Guest \($0) with a long name", error: .seconds($0 * 40), uncertainty: .zero)
    }
    return [
      ("alone", Samples.alone), ("playing", Samples.playing), ("waiting", Samples.waiting),
      ("hostile", Samples.hostile), ("busy", busy), ("failed", failed), ("bare", bare),
      ("empty", ScreenModel()),
    ]
  }()

  private static let states: [(String, ScreenState)] = {
    func state(_ change: (inout ScreenState) -> Void) -> ScreenState {
      var state = ScreenState()
      change(&state)
      return state
    }
    return [
      ("plain", ScreenState()), ("library", state { $0.isLibraryWanted = true }),
      ("no library", state { $0.isLibraryWanted = false }),
      ("help", state { $0.overlay = .help(scroll: 3) }),
      ("invite", state { $0.overlay = .invite(isCopied: false) }),
      ("sync", state { $0.overlay = .sync }),
      ("confirm", state { $0.overlay = .confirmation(.endParty) }),
      (
        "forget",
        state {
          $0.overlay = .confirmation(
            .forgetParty(
              id: "p", title: TerminalText(String(repeating: "漢字 and words ", count: 30))))
        }
      ),
      ("scrolled", state { $0.chatScroll = 1000 }),
      ("scrub", state { $0.scrub = MediaTime(seconds: 99_999) }),
      (
        "typing",
        state {
          $0.prompt = Prompt(.chat, text: String(repeating: "漢字 and words ", count: 30))
          $0.prompt?.complaint = "Not a time. Examples: 12:30, 1:02:03, +90, -10, 50%"
        }
      ),
      ("asking", state { $0.prompt = Prompt(.join) }),
    ]
  }()

  @Test(
    "At every size, every row is exactly as wide as the screen",
    arguments: sizes)
  func exactRows(columns: Int, rows: Int) {
    let size = ScreenSize(columns: columns, rows: rows)
    for (modelName, model) in Self.models {
      // The large ones show nothing that the medium ones don't.
      for (stateName, state) in columns <= 80 ? Self.states : Array(Self.states.prefix(1)) {
        for symbols in [GlyphSet.unicode, .ascii] {
          let canvas = ScreenView(model: model, state: state).canvas(size: size, symbols: symbols)
          let context = "\(modelName), \(stateName)"
          #expect(canvas.cells.count == columns * rows)
          // Each wide glyph owns its cell and the next, and no other cell is without a glyph.
          var owed = 0
          var isExact = true
          for (index, cell) in canvas.cells.enumerated() {
            if index % columns == 0, owed != 0 { isExact = false }
            if (cell.glyph == nil) != (owed == 1) { isExact = false }
            owed = cell.glyph?.width == 2 ? 1 : 0
            if !symbols.isUnicode, cell.glyph?.text.utf8.count != 1 { isExact = false }
          }
          #expect(isExact && owed == 0, "\(context)")
          if let cursor = canvas.cursor { #expect(canvas.bounds.contains(cursor), "\(context)") }
          #expect((canvas.cursor != nil) == (state.prompt != nil), "\(context)")
        }
      }
    }
  }

  @Test("The parts of the screen never overlap and never leave it")
  func layout() {
    for columns in [40, 53, 65, 66, 80, 120, 300] {
      for rows in [10, 11, 12, 13, 15, 16, 17, 20, 24, 40, 100] {
        for (name, model) in Self.models {
          for (_, state) in Self.states {
            let size = ScreenSize(columns: columns, rows: rows)
            let layout = ScreenLayout(size: size, model: model, state: state)
            let screen = Rect(column: 0, row: 0, width: columns, height: rows)
            let parts = [
              layout.title, layout.pane, layout.transport, layout.notice, layout.hints,
              layout.rosterRule, layout.rosterRows, layout.chatRule, layout.chatRows,
              layout.chatPrompt,
            ]
            for (index, part) in parts.enumerated() where !part.isEmpty {
              #expect(part.intersection(screen) == part, "\(name) \(columns)×\(rows): \(part)")
              for other in parts[(index + 1)...] {
                #expect(
                  part.intersection(other).isEmpty,
                  "\(name) \(columns)×\(rows): \(part) and \(other)")
              }
            }
            #expect(layout.pane.height >= 1)
            #expect(model.party == nil || layout.chatRows.height >= 2)
            #expect(model.party == nil || layout.rosterRows.height >= 1)
            #expect(layout.transport.height == 1 && layout.hints.height == 1)
          }
        }
      }
    }
  }

  @Test("The important parts are shown at every size", arguments: sizes)
  func essentials(columns: Int, rows: Int) {
    let text = picture(Samples.waiting, columns, rows).joined(separator: "\n")
    for essential in [
      "Countdown", "encrypted", "Ana", "Chi", "0:12:41", "1:42:10", "Waiting for Chi",
      "p start", "? keys", "believe",
    ] {
      #expect(text.contains(essential), "\(essential) at \(columns)×\(rows)\n\(text)")
    }
    var reconnecting = Samples.hostile
    reconnecting.party?.link = .reconnecting
    #expect(picture(reconnecting, columns, rows)[0].contains("reconnecting"))
  }

  @Test(
    "Too small a screen says so, down to nothing",
    arguments: [(19, 10), (19, 1), (12, 5), (5, 1), (1, 1), (0, 0), (80, 0)])
  func tooSmall(columns: Int, rows: Int) {
    let text = picture(Samples.hostile, columns, rows)
    #expect(text.count == rows)
    #expect(text.allSatisfy { TerminalText($0).width == columns })
    if columns >= 5, rows > 0 { #expect(text.joined().contains("20×1")) }
  }

  @Test("The help explains every key of the map, in two columns from 110 columns on")
  func help() {
    var state = ScreenState()
    var seen = ""
    for scroll in stride(from: 0, through: 80, by: 10) {
      state.overlay = .help(scroll: scroll)
      seen += picture(Samples.playing, 80, 24, state: state).joined(separator: "\n")
    }
    for entry in KeyMap.standard.entries {
      let keys = entry.keysLabel(isUnicode: true, allKeys: true).description
      #expect(seen.contains("\(keys)  \(entry.help.prefix(20))"), "\(keys)")
    }
    state.overlay = .help(scroll: 0)
    // The keys need no scrolling if there is room.
    let large = picture(Samples.playing, 200, 60, state: state).joined()
    #expect(KeyMap.standard.entries.allSatisfy { large.contains($0.help.prefix(20)) })
    for (columns, isDouble) in [(109, false), (110, true)] {
      let text = picture(Samples.playing, columns, 60, state: state)
      #expect(text.contains { $0.contains("Playback") && $0.contains("Party") } == isDouble)
    }
  }

  @Test("The invite can be copied off the screen: unbroken, or in full rows", arguments: sizes)
  func invite(columns: Int, rows: Int) {
    var state = ScreenState()
    state.overlay = .invite(isCopied: false)
    let text = picture(Samples.playing, columns, rows, state: state)
    #expect(text.joined().contains(Samples.invite))
    #expect(text.joined().contains("c copy"))
  }

  @Test("A long result of saving the invite is shown to its end", arguments: sizes)
  func saved(columns: Int, rows: Int) {
    var model = Samples.playing
    model.inviteNotice = MessageModel(
      "Saved to /home/maximilian/.local/state/matinee/lucky-crane-with-a-long-name.invite. Only you can read it."
    )
    var state = ScreenState()
    state.overlay = .invite(isCopied: true)
    let text = picture(model, columns, rows, state: state)
    #expect(text.joined().contains(Samples.invite))
    #expect(text.contains { $0.contains("read it.") })
  }

  @Test(
    "A message of two sentences is complete on a narrow screen, above the state line",
    arguments: [60, 66, 72], [14, 24])
  func longMessage(columns: Int, rows: Int) {
    let message =
      "Can't reach this party (203.0.113.7:62846 doesn't answer). Try again once its host is online, "
      + "or ask for a new invite."
    var model = Samples.playing
    model.message = MessageModel(TerminalText(message))
    model.participantState = .notReady
    let text = picture(model, columns, rows).map {
      $0.split(separator: " ").joined(separator: " ")
    }.joined(separator: " ")
    #expect(text.contains(message))
    #expect(text.contains("R I'm ready"))
  }

  @Test("Below the invite are the problem, and the addresses that work", arguments: sizes)
  func reach(columns: Int, rows: Int) {
    var model = Samples.playing
    model.party?.places = [
      PartyModel.Place(kind: "router", address: nil),
      PartyModel.Place(kind: "internet", address: "198.51.100.7:62846"),
      PartyModel.Place(kind: "home network", address: "192.168.1.5:62846"),
    ]
    model.party?.advice = "forward TCP port 62846 in your router to 192.168.1.5"
    var state = ScreenState()
    state.overlay = .invite(isCopied: false)
    let text = picture(model, columns, rows, state: state)
    #expect(text.joined().contains(Samples.invite))
    #expect(text.joined().contains("c copy"))
    guard columns >= 80, rows >= 24 else { return }
    #expect(text.contains { $0.contains("router         asking your router") })
    #expect(text.contains { $0.contains("internet       198.51.100.7:62846") })
    #expect(text.contains { $0.contains("home network   192.168.1.5:62846") })
    #expect(text.contains { $0.contains("forward TCP port 62846 in your router") })
  }

  @Test("Every answer to a question is shown, however long the question", arguments: sizes)
  func question(columns: Int, rows: Int) {
    var model = Samples.playing
    model.question = QuestionModel(
      id: "q", text: TerminalText(String(repeating: "Watch this? ", count: 100)),
      choices: [
        .init(id: "all", key: "e", title: "for everyone"),
        .init(id: "me", key: "j", title: "just me"),
        .init(id: "no", key: "c", title: "cancel"),
      ])
    let text = picture(model, columns, rows).joined()
    #expect(text.contains("e  for everyone") && text.contains("j  just me"))
    #expect(text.contains("› c  cancel"))
  }

  @Test("The cursor is at the next character's position, in a long line too")
  func cursor() throws {
    var state = ScreenState()
    state.prompt = Prompt(.chat, text: String(repeating: "x", count: 300))
    let canvas = ScreenView(model: Samples.playing, state: state)
      .canvas(size: ScreenSize(columns: 80, rows: 24), symbols: .unicode)
    let cursor = try #require(canvas.cursor)
    let row = Array(canvas.row(cursor.row))
    #expect(row[cursor.column].glyph == .space)
    #expect(row[cursor.column - 1].glyph?.text == "x")
  }

  @Test("A long chat shows its end, and scrolls to its beginning")
  func chat() {
    var model = Samples.playing
    model.chat = (0..<2000).map { ChatEntry(id: $0, hour: 1, minute: 2, .note("line \($0).")) }
    #expect(picture(model, 80, 24).joined().contains("line 1999."))
    var state = ScreenState()
    state.chatScroll = 100_000
    let text = picture(model, 80, 24, state: state).joined()
    #expect(text.contains("line 1000.") && !text.contains("line 1999."))
  }

  @Test("The distance from the group is text, is never cut, and is shortened before the name")
  func rosterDistance() {
    func row(_ name: TerminalText, _ error: Duration, width: Int) -> String {
      var model = Samples.playing
      model.roster = [RosterEntry(name: name, state: .ready, note: .syncError(error))]
      var canvas = Canvas(size: ScreenSize(columns: width, rows: 1))
      RosterView(model: model).draw(in: canvas.bounds, on: &canvas)
      return canvas.text[0]
    }
    #expect(row("Benjamin", .milliseconds(-340), width: 26) == "● Benjamin    0.3 s behind")
    #expect(row("Benjamin", .milliseconds(340), width: 26) == "● Benjamin     0.3 s ahead")
    #expect(row("Benjamin", .milliseconds(-340), width: 20) == "● Benjamin    −0.3 s")
    #expect(row("Benjamin", .microseconds(49_900), width: 26) == "● Benjamin         in sync")
    #expect(row("Benjamin", .milliseconds(-50), width: 26) == "● Benjamin    0.1 s behind")
    #expect(row("Benjamin", .seconds(-12), width: 26) == "● Benjamin     12 s behind")
    #expect(row("Benjamin", .seconds(300), width: 26) == "● Benjamin     5 min ahead")
    #expect(
      row("Benjamin the Fourth of that name", .seconds(-2), width: 26)
        == "● Benjamin the Fou… −2.0 s")
  }

  @Test("Another copy takes the place of “in sync”, and stays beside another fact if there is room")
  func otherCopy() {
    func row(_ note: RosterEntry.Note, width: Int) -> String {
      var model = Samples.playing
      model.roster = [RosterEntry(name: "Ben", state: .ready, note: note, marks: ["another copy"])]
      var canvas = Canvas(size: ScreenSize(columns: width, rows: 1))
      RosterView(model: model).draw(in: canvas.bounds, on: &canvas)
      return canvas.text[0]
    }
    let behind = RosterEntry.Note.syncError(.milliseconds(-340))
    #expect(row(.none, width: 26) == "● Ben         another copy")
    #expect(row(.syncError(.milliseconds(3)), width: 26) == "● Ben         another copy")
    #expect(row(behind, width: 26) == "● Ben         0.3 s behind")
    #expect(row(behind, width: 36) == "● Ben    0.3 s behind · another copy")
    #expect(row(.text("stepped away"), width: 36) == "● Ben    stepped away · another copy")
  }

  @Test("The playhead goes from one end of the bar to the other")
  func bar() {
    var transport = TransportModel(status: .playing, duration: MediaTime(seconds: 100))
    func drawn(_ seconds: Double) -> String {
      transport.itemTime = MediaTime(seconds: seconds)
      var canvas = Canvas(size: ScreenSize(columns: 40, rows: 1))
      TransportView(transport: transport).draw(in: canvas.bounds, on: &canvas)
      return canvas.text[0]
    }
    #expect(drawn(0) == " ▶ 0:00 ●────────────────────── 1:40 1× ")
    #expect(drawn(100).contains("━● 1:40"))
    #expect(drawn(1e9).contains("━● "))
    #expect(drawn(-5).contains(" ●─"))
    transport.buffered = [
      MediaTime(seconds: -10)..<MediaTime(seconds: 50),
      MediaTime(seconds: 500)..<MediaTime(seconds: 600),
    ]
    #expect(drawn(0).contains("●╌╌╌╌╌╌╌╌╌╌╌─"))
  }

  @Test("People in a small party have different colours")
  func colors() {
    let names = ["Ana", "Ben", "Chi", "Dee", "Eva", "Fay"].map { TerminalText($0) }
    let colors = PersonColors(names.map { RosterEntry(name: $0, state: .ready) })
    #expect(Set(names.map { colors.style($0) }).count == names.count)
    // A name outside the roster has a colour too, which is the same as for the roster's first.
    #expect(colors.style("Ana") == PersonColors([]).style("Ana"))
  }
}
