import Concurrency
import Foundation
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import TerminalUI
import Timekeeping

/// The party in mpv's window: chat, reactions and notices appear over the picture, and keys that affect all
/// participants go through the group.
actor WindowCompanion {
  /// The number of events that wait while the window is slow. Beyond it the oldest are dropped.
  static let eventLimit = 1024
  /// The events on which nothing here depends.
  static let ignoredEvents: Set<ScreeningEvent.Kind> = [
    .changed, .participants, .playlist, .suspension, .library,
  ]

  private enum Input: Sendable {
    case event(ScreeningEvent)
    case window(WindowEvent)
    /// The text needs a redraw.
    case due(alarm: Int)
  }

  private let theater: Theater?
  private let player: MPVPlayer
  private let events: AsyncStream<ScreeningEvent>
  // A source waits while the inbox is full: then the bound of its own queue applies.
  private nonisolated let inbox = BoundedInbox<Input>(costLimit: 64)
  private var scene = WindowScene()
  private var input = WindowInput()
  private var narrator = Narrator()
  private var tasks: [Task<Void, Never>] = []
  private var alarmSetting = AlarmSetting()
  private let alarm = Alarm()

  init(theater: Theater) {
    self.theater = theater
    player = theater.player
    events = theater.events.follow(atMost: Self.eventLimit, except: Self.ignoredEvents)
  }

  func start() async {
    for keys in [WindowInput.standing, WindowInput.drawing, WindowInput.typing] {
      await player.define(keys)
    }
    await player.set(WindowInput.standing, on: true)
    let (inbox, events, windowInput) = (inbox, events, theater?.windowInput)
    tasks = [
      Task {
        for await event in events { await inbox.send(.event(event)) }
      },
      Task {
        if let windowInput {
          for await input in windowInput { await inbox.send(.window(input)) }
        }
      },
      Task { [weak self] in
        for await input in inbox.makeStream() { await self?.handle(input) }
      },
    ]
  }

  func stop() {
    for task in tasks { task.cancel() }
    inbox.finish()
    alarm.carryOut(.cancel) { _ in }
  }

  private func handle(_ received: Input) async {
    switch received {
    case .event(let event): await handle(event)
    case .window(.key(let key)):
      let isInParty = await theater?.party != nil
      await carryOut(input.handle(key, isInParty: isInParty))
    case .window(.pointer(let x, let y)): await carryOut(input.point(x: x, y: y))
    case .due(let number): guard alarmSetting.rang(number) else { return }
    }
    await draw()
  }

  // MARK: - Events

  private func handle(_ event: ScreeningEvent) async {
    scene.state = (await theater?.status()).flatMap { Self.lastingNotice($0) }
    switch event {
    case .waiting(let names, let seconds):
      let me = await theater?.party?.localParticipant.name
      scene.wait = .init(
        names: names.filter { $0 != me && me != nil },
        until: seconds > 0 ? .now() + .seconds(seconds) : nil)
    case .mayOpen(let question):
      scene.question = question.text + " Answer in the terminal"
    case .activity: scene.question = nil
    case .readyCheck(let by):
      add("asks whether everyone is ready", by: by, color: await color(of: by))
    case .reaction(let participant, let reaction):
      scene.add(
        reaction.shape, by: participant.name, color: await color(of: participant.name), at: .now())
    case .drawing, .video: await drawingChanged()
    case .left:
      scene.clear()
      await carryOut(input.partyEnded())
      await drawingChanged()
    default: break
    }
    guard await player.videoMode == .window, let status = await theater?.status() else { return }
    for line in narrator.narrate(event, Narrator.Context(status), at: .now()) {
      switch line.narration {
      case .said(let text, let author, _):
        add(text, by: author + ":", color: await color(of: author), line: line.id)
      case .did(let text, let author):
        add(text, by: author, color: await color(of: author), line: line.id)
      case .note(let text), .told(let text, _):
        add(text, by: "", color: 0xFFFFFF, line: line.id)
      }
    }
  }

  /// Returns the notice that stays over the video. The end of a party isn't one: no key of the window dismisses it, and
  /// a line of the story reports it.
  static func lastingNotice(_ status: TheaterStatus) -> String? {
    guard let state = ParticipantState(status) else { return nil }
    if case .partyClosed = state { return nil }
    return state.sentence.description
  }

  private func add(_ text: String, by author: String, color: UInt32, line: Int? = nil) {
    // The same cleaning as for a terminal: no invisible characters, and none that change the direction of text.
    scene.add(
      WindowText.Line(
        author: TerminalText(author).description, color: color,
        text: TerminalText(text).description), replacing: line, at: .now())
  }

  private func color(of name: String) async -> UInt32 {
    await (theater?.personInks() ?? PersonInks([]))[TerminalText(name)]
  }

  private func drawingChanged() async {
    let isWindow = await player.videoMode == .window
    let status = await theater?.drawingStatus
    let isDrawing = status?.isDrawing ?? false
    // The notice would cover the chat lines in a small window.
    scene.awaitsFirstLine = isWindow && isDrawing && status?.drawing.strokes.isEmpty != false
    await player.followPointer(isWindow && isDrawing)
    await carryOut(input.drawingChanged(isWindow && isDrawing))
  }

  // MARK: - Actions

  private func carryOut(_ actions: [WindowInput.Action]) async {
    for action in actions {
      do {
        try await carryOut(action)
      } catch {
        // The event comes back here, so the window shows it too.
        await theater?.emit(.failed(ErrorAdvice.text(of: error)))
      }
    }
  }

  private func carryOut(_ action: WindowInput.Action) async throws {
    guard let theater else { return }
    switch action {
    case .user(let command): try await carryOut(command, in: theater)
    case .line(let text): try await carryOut(UserCommand(chatLine: text), in: theater)
    case .close: try await theater.windowClosed()
    case .rebind:
      await player.set(WindowInput.drawing, on: input.isDrawing)
      await player.set(WindowInput.typing, on: input.line != nil)
    }
  }

  private func carryOut(_ command: UserCommand, in theater: Theater) async throws {
    let others = command == .quit ? await theater.parties.othersLosingParty : 0
    if others > 0 {
      let count = others == 1 ? "1 other" : "\(others) others"
      add("Quit and close the party for \(count)? Answer in the terminal.", by: "", color: 0xFFFFFF)
    }
    // The terminal asks for whom a film opens.
    if case .load(let location) = command { return await theater.emit(.openWanted(location)) }
    switch try await theater.carryOut(command) {
    case .done: break
    // mpv's own display shows the notice of its commands.
    case .notice(let text): if command.name != "mpv" { add(text, by: "", color: 0xFFFFFF) }
    case .state(let status):
      for line in status.sentences { add(line, by: "", color: 0xFFFFFF) }
    }
    // mpv's own keys do this too.
    if ["seek", "chapter"].contains(command.name) { await player.showProgress() }
  }

  // MARK: - Drawing

  private func draw() async {
    scene.input = input.line.map {
      WindowText.Input(label: "Chat:", before: $0.before, after: $0.after)
    }
    let (text, next) = scene.text(at: .now())
    await player.setText(text)
    alarm.carryOut(alarmSetting.set(for: next)) { [inbox] in inbox.putEssential(.due(alarm: $0)) }
  }
}

extension Reaction {
  fileprivate var shape: SignShape {
    switch self {
    case .like: .like
    case .laugh: .laugh
    case .wow: .wow
    case .sad: .sad
    case .applause: .applause
    case .love: .love
    case .party: .party
    case .fire: .fire
    }
  }
}
