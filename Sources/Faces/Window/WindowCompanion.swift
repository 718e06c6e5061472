import Concurrency
import Foundation
import GroupActivities
import MPVPlayer
import MatineeKit
import Screening
import TerminalUI
import Timekeeping

/// The party in mpv's window: chat, reactions and notices appear over the picture, and keys that affect all
/// participants go through the group.
package actor WindowCompanion {
  /// The number of events that wait while the window is slow. Beyond it the oldest are dropped.
  package static let eventLimit = 1024
  /// The events on which nothing here depends.
  package static let ignoredEvents: Set<ScreeningEvent.Kind> = [
    .changed, .participants, .playlist, .suspension, .library,
  ]

  private enum Input: Sendable {
    case event(ScreeningEvent)
    case window(WindowEvent)
    /// The text needs a redraw.
    case due(alarm: Int)
  }

  private let program: Program?
  private let player: MPVPlayer
  private let events: AsyncStream<ScreeningEvent>
  // A source waits while the inbox is full: then the bound of its own queue applies.
  private nonisolated let inbox = BoundedInbox<Input>(costLimit: 64)
  private var scene: WindowScene
  private var input = WindowInput()
  private var narrator = Narrator()
  private var tasks: [Task<Void, Never>] = []
  private var alarmSetting = AlarmSetting()
  private let alarm = Alarm()

  package init(program: Program, reactions: Reaction.Motion = .rise) {
    self.program = program
    scene = WindowScene(reactions: reactions)
    player = program.player
    events = program.events.follow(atMost: Self.eventLimit, except: Self.ignoredEvents)
  }

  package func start() async {
    for keys in [WindowInput.standing, WindowInput.drawing, WindowInput.typing] {
      await player.define(keys)
    }
    await player.set(WindowInput.standing, on: true)
    let (inbox, events, windowInput) = (inbox, events, program?.windowInput)
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

  package func stop() {
    for task in tasks { task.cancel() }
    inbox.finish()
    alarm.perform(.cancel) { _ in }
  }

  private func handle(_ received: Input) async {
    switch received {
    case .event(let event): await handle(event)
    case .window(.key(let key)):
      let isInParty = await program?.party != nil
      let resumes = await program?.resumesByEnter == true
      let offered = resumes ? await program?.offeredPosition : nil
      await perform(input.handle(key, isInParty: isInParty, offered: offered))
    case .window(.pointer(let x, let y)): await perform(input.point(x: x, y: y))
    case .due(let number): guard alarmSetting.rang(number) else { return }
    }
    await draw()
  }

  // MARK: - Events

  private func handle(_ event: ScreeningEvent) async {
    scene.state = (await program?.status()).flatMap { Self.lastingNotice($0) }
    switch event {
    case .waiting(let names, let seconds):
      let me = await program?.party?.localParticipant.name
      scene.wait = .init(
        names: names.filter { $0 != me && me != nil },
        until: seconds > 0 ? .now() + .seconds(seconds) : nil)
    case .mayOpen(let question):
      scene.question = question.text + " Answer in the terminal"
    case .mayShare(let question):
      scene.question = question.text + " Answer in the terminal"
    case .activity: scene.question = nil
    case .readyCheck(let by):
      add("asks: ready?", by: by, color: await color(of: by))
    case .reaction(let participant, let reaction):
      scene.add(
        reaction.shape, by: participant.name, color: await color(of: participant.name), at: .now())
    case .drawing, .video: await drawingChanged()
    case .left:
      scene.clear()
      await perform(input.partyEnded())
      await drawingChanged()
    default: break
    }
    guard await player.videoMode == .window, let status = await program?.status() else { return }
    for line in narrator.narrate(event, Narrator.Context(status), at: .now()) {
      switch line.narration {
      case .said(let text, let author, _):
        add(text, by: author + ":", color: await color(of: author), line: line.id)
      case .did(let text, let author):
        add(text, by: author, color: await color(of: author), line: line.id)
      // It would cover the film.
      case .recalled: break
      case .note(let text), .told(let text, _):
        add(text, by: "", color: 0xFFFFFF, line: line.id)
      }
    }
  }

  /// Returns the notice that stays over the video. The end of a party isn't one: no key of the window dismisses it, and
  /// a line of the story reports it.
  static func lastingNotice(_ status: ProgramStatus) -> String? {
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
    await inks()[TerminalText(name)]
  }

  /// Returns the colours that distinguish participants, the same as in the roster.
  private func inks() async -> PersonInks {
    PersonInks(await program?.party?.participants.map { TerminalText($0.name) } ?? [])
  }

  private func drawingChanged() async {
    let isWindow = await player.videoMode == .window
    let status = await program?.drawingStatus
    let isDrawing = status?.isDrawing ?? false
    // The notice would cover the chat lines in a small window.
    scene.awaitsFirstLine = isWindow && isDrawing && status?.drawing.strokes.isEmpty != false
    await player.followPointer(isWindow && isDrawing)
    await perform(input.drawingChanged(isWindow && isDrawing))
    guard isWindow, let status else { return await player.setLines([]) }
    let inks = await inks()
    await player.setLines(
      status.drawing.strokes.map { stroke in
        PictureLine(
          color: inks[TerminalText(status.authors[stroke.id.author] ?? "")],
          points: stroke.points.map { point in
            let place = point.fractions
            return .init(x: place.x, y: place.y)
          })
      })
  }

  // MARK: - Actions

  private func perform(_ actions: [WindowInput.Action]) async {
    for action in actions {
      do {
        try await perform(action)
      } catch {
        // The event comes back here, so the window shows it too.
        await program?.emit(.failed(ErrorAdvice.text(of: error)))
      }
    }
  }

  private func perform(_ action: WindowInput.Action) async throws {
    guard let program else { return }
    switch action {
    case .user(let command): try await perform(command, in: program)
    case .line(let text): try await perform(UserCommand(chatLine: text), in: program)
    case .close: await program.handle(.windowClosed)
    case .rebind:
      await player.set(WindowInput.drawing, on: input.isDrawing)
      await player.set(WindowInput.typing, on: input.line != nil)
    }
  }

  private func perform(_ command: UserCommand, in program: Program) async throws {
    let others = command == .quit ? await program.othersLosingParty : 0
    if others > 0 {
      let count = others == 1 ? "1 other" : "\(others) others"
      add("Quit and close the party for \(count)? Answer in the terminal.", by: "", color: 0xFFFFFF)
    }
    // The terminal asks for whom a film opens.
    if case .load(let location) = command { return await program.emit(.openWanted(location)) }
    switch try await program.perform(command) {
    case .done: break
    // mpv's own display shows the notice of its commands.
    case .notice(let text): if command.name != "mpv" { add(text, by: "", color: 0xFFFFFF) }
    case .state:
      for line in await program.status().sentences { add(line, by: "", color: 0xFFFFFF) }
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
    alarm.perform(alarmSetting.set(for: next)) { [inbox] in inbox.putEssential(.due(alarm: $0)) }
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
    case .moment: .moment
    }
  }
}
