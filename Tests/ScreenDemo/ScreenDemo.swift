import Concurrency
import Glibc
import Screening
import TerminalUI
import TerminalVideo
import Timekeeping

private struct Requests: ScreenOwner {
  enum Input: Sendable {
    case user(UserCommand)
    case screen(ScreenCommand)
  }

  let inputs = BoundedInbox<Input>(costLimit: 256)

  func perform(_ command: UserCommand) { inputs.putEssential(.user(command)) }
  func perform(_ command: ScreenCommand) { inputs.putEssential(.screen(command)) }
  func screenClosed() { inputs.finish() }
}

/// Shows a sample on the real terminal and writes what it hears to a file, so that tests can drive the shell
/// round the screen as a person would. Chatting the name of a calamity makes it happen.
///
/// `ScreenDemo LOG [deaf] [stuck] [alone|playing|waiting|hostile]`
@main
struct ScreenDemo {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count > 1, let log = fopen(arguments[1], "a") else {
      print("usage: ScreenDemo LOG [deaf] [stuck] [alone|playing|waiting|hostile]")
      exit(64)
    }
    setvbuf(log, nil, _IOLBF, 0)
    func note(_ line: String) { fputs(line + "\n", log) }

    let requests = Requests()
    let screen: TerminalScreen
    do {
      screen = try await TerminalScreen.open(
        .init(orderlyExitLimit: .seconds(arguments.contains("deaf") ? 1 : 5), blocks: .halves),
        for: requests)
    } catch {
      print("error: \(error)")
      exit(69)
    }
    var model =
      arguments.contains("alone")
      ? Samples.alone
      : arguments.contains("waiting")
        ? Samples.waiting : arguments.contains("hostile") ? Samples.hostile : Samples.playing
    await screen.render(model)
    note("ready \(getpid())")

    let printed = Task {
      for await line in screen.printedLines { note("printed \(line)") }
    }
    for await request in requests.inputs.makeStream() {
      switch request {
      case .user(let command):
        note("intent \(command)")
        switch command {
        case .say("abort"): abort()
        case .say("trap"): fatalError("deliberate")
        case .say("segfault"): kill(getpid(), SIGSEGV)
        case .say("exit"): exit(3)
        case .say("stall"):
          model.picture = PictureModel(width: 16, height: 9)
          await screen.render(model)
          note("stalled \(await Pictures.shown(on: screen))")
        case .say("film"):
          model.picture = PictureModel(width: 16, height: 9)
          await screen.render(model)
          Pictures.play(on: screen.picture)
          note("film")
        case .say("print"):
          let scribble = "scribble on stderr\n"
          write(STDERR_FILENO, scribble, scribble.utf8.count)
          print("scribble on stdout")
          fflush(nil)
        case .say("question"):
          model.question = QuestionModel(
            id: "q1", text: "Open http://films.example.org/orbits.mkv? Ben has chosen it.",
            choices: [
              .init(id: "everyone", key: "e", title: "open it"),
              .init(id: "no", key: "n", title: "not now"),
            ])
        case .say("error"):
          model.message = MessageModel(
            "Can't reach films.example.org: the name isn't known. Check the address, or open your own copy.",
            severity: .error)
        case .say(let text):
          model.chat.append(
            ChatEntry(
              id: (model.chat.last?.id ?? 0) + 1, hour: 21, minute: 42,
              .said(TerminalText(text), by: "Ana", isOwn: true)))
        case .react(let reaction):
          let index = Reaction.allCases.firstIndex(of: reaction) ?? 0
          model.reactions.append(
            ReactionEntry(
              id: (model.reactions.last?.id ?? 0) + 1, model.reactionSigns[index], by: "Ana"))
        case .drawing(.draw): model.sketch = SketchModel(isDrawing: true)
        case .drawing(.leave): model.sketch?.isDrawing = false
        case .drawing(.press(at: let point)):
          model.sketch?.strokes.append(.init(author: model.ownName, points: [.init(point)]))
        case .drawing(.move(to: let point)):
          let last = (model.sketch?.strokes.count ?? 0) - 1
          if last >= 0 { model.sketch?.strokes[last].points.append(.init(point)) }
        case .drawing(.undo): _ = model.sketch?.strokes.popLast()
        case .drawing(.reset): model.sketch?.strokes = []
        case .playPause:
          model.transport.status = model.transport.status == .playing ? .paused : .playing
        case .skip(let distance):
          model.transport.itemTime = max(.zero, model.transport.itemTime + distance)
        case .seek(let time), .endScrub(at: let time?): model.transport.itemTime = time
        case .setRate(let rate): model.transport.rate = rate
        case .multiplyRate(let factor): model.transport.rate *= factor
        case .toggleMute: model.transport.isMuted.toggle()
        case .export, .duck, .toggleEchoes, .propose: break
        case .suspend: model.isSteppedAway = true
        case .resume: model.isSteppedAway = false
        case .play(immediately: true): model.waiting = nil
        case .quit:
          if arguments.contains("stuck") { continue }
          await screen.close()
          await printed.value
          note("closed")
          exit(0)
        case .pause, .stop, .play(immediately: false), .seekPercent, .addRate, .cycleRates, .load,
          .loadAlone, .loadResumed, .loadForEveryone, .sameFilm, .offset,
          .seekChapter, .frameStep, .changeVolume, .setVolume, .setLatencyOffset,
          .changeLatencyOffset, .cycleSubtitles, .toggleSubtitles, .cycleVideo, .setFullscreen,
          .cycleAudio, .player, .whatHappened, .setName, .host, .join, .rejoin, .page, .syncplay,
          .share, .shareSubtitles, .keep,
          .leave,
          .endFilm,
          .endParty, .rule, .answer, .scrub, .endScrub(at: nil), .setReady, .toggleReady,
          .askWhetherReady, .enqueue, .advance, .watch, .moveEntry, .dropEntry, .drawing(.lift),
          .togglePictureInPicture, .library, .state, .keepRelay:
          break
        }
      case .screen(let command):
        note("intent \(command)")
        switch command {
        case .answer: model.question = nil
        case .choose: model.item = Samples.item
        case .showSync(let isShown): model.sync = isShown ? Samples.sync : nil
        case .terminate(let signal):
          if arguments.contains("deaf") { continue }
          await screen.close()
          note("closed")
          exit(128 + signal)
        case .copiedInvite, .clipboardAnswered, .saveInvite, .savePage, .leaveFolder, .browse,
          .chooseAnew, .chooseMoment,
          .showDetails, .search, .completePath, .forget, .explain, .cyclePictureKind, .showTracks,
          .showChapters, .showFilmFolder:
          break
        }
      }
      await screen.render(model)
    }
  }
}

extension SketchModel.Point {
  fileprivate init(_ point: UserCommand.Point) {
    self.init(x: Float(point.fractions.x), y: Float(point.fractions.y))
  }
}
