import DrawTogether
import TerminalUI
import Timekeeping

/// The user's intents, from the terminal or from mpv's window.
extension Theater {
  /// - Returns: false for an intent that only the terminal can carry out.
  func carryOut(_ intent: Intent) async throws -> Bool {
    switch intent {
    case .playPause: try await playPause()
    case .skip(by: let distance): try await seek(by: distance)
    case .seek(to: let place): try await seek(to: place)
    case .seekChapter(by: let count): try await seekChapter(by: count)
    case .frameStep(by: let frames): try await step(frames: frames)
    case .setRate(let rate): try await setRate(rate)
    case .multiplyRate(by: let factor): try await multiplyRate(by: factor)
    case .toggleMute: try await player.toggleMute()
    case .changeLatencyOffset(let steps):
      await changeLatencyOffset(by: LatencyOffset.step * steps)
    case .startAnyway: try await play(immediately: true)
    case .whatHappened:
      try requireParty(for: .catchingUp)
      try await self.whatHappened()
    case .scrub(to: let place): try await scrub(to: place)
    case .endScrub(at: let place): try await endScrub(at: place)
    case .toggleReady:
      try requireParty(for: .readyCheck)
      await toggleReady()
    case .advance(by: let step): try await advance(by: step)
    case .enqueue(let id): try await enqueue(id)
    case .watch(let index): try await watch(at: index)
    case .moveEntry(let from, let to): try await move(from: from, to: to)
    case .dropEntry(let index): try await drop(at: index)
    case .stepAway:
      try requireParty(for: .steppingAway)
      try await suspend(.init(rawValue: "steppedAway"))
    case .rejoin: await resume()
    case .say(let text): try await enter(line: text)
    case .react(let index): try await react(Reaction.allCases[index])
    case .togglePictureInPicture: try await togglePictureInPicture()
    case .browse(let isBrowsing): self.isBrowsing = isBrowsing
    case .draw: try await draw()
    case .leaveDrawing: await leaveDrawing()
    case .pressPen(at: let point): try await drawingBoard().press(at: PicturePoint(point))
    case .movePen(to: let point): try await drawingBoard().move(to: PicturePoint(point))
    case .liftPen: try await drawingBoard().lift()
    case .undoStroke: try await undoStroke()
    case .resetDrawing: try await resetDrawing()
    case .setName(let name): try await setName(name)
    case .leaveParty: await leaveParty()
    case .endParty: try await closeParty()
    case .changeVolume, .cycleVideo, .cyclePictureKind, .cycleAudio, .cycleSubtitles,
      .toggleSubtitles, .player,
      .openParty,
      .join, .copiedInvite, .clipboardAnswered, .saveInvite, .search,
      .addFolder, .forget, .rejoinLast, .choose, .chooseAnew, .showDetails, .leaveFolder, .openURL,
      .answer, .showSync, .explain, .quit, .terminate:
      return false
    }
    return true
  }
}

/// An action that requires a party.
enum PartyOnly: Error, Hashable, CustomStringConvertible {
  case catchingUp, steppingAway, readyCheck

  var description: String {
    switch self {
    case .catchingUp: "Catching up works in a party only. Press left to go back."
    case .steppingAway: "Stepping away works in a party only."
    case .readyCheck: "The ready check works in a party only."
    }
  }
}

extension Theater {
  fileprivate func requireParty(for action: PartyOnly) throws(PartyOnly) {
    guard party != nil else { throw action }
  }
}

extension PicturePoint {
  fileprivate init(_ point: SketchModel.Point) {
    self.init(x: Double(point.x), y: Double(point.y))
  }
}
