// FilmNight INVITE FILM...: films with a party, like SharePlay's sample program.
import CoordinatedPlayer
import Foundation
import GroupActivities
import NATSTransport
import Timekeeping
import WatchTogether

let films = CommandLine.arguments.dropFirst(2).map { URL(fileURLWithPath: $0) }
let movies = try films.map { (try FilmIdentifier.ofFile($0.path), $0) }
let player = try CoordinatedPlayer()
let manager = CoordinationManager(.init(movies) { $1 }, player: player)
let party = try await Party.join(invite: try Invite(CommandLine.arguments[1]), name: "Film night")
await party.becomeCurrent()
var question: CheckedContinuation<GroupActivityActivationResult, Never>?
await party.setActivationPreparer { @MainActor metadata in
  say("\(metadata.title ?? "This film"): everyone, just me, or cancel?")
  return await withCheckedContinuation { question = $0 }
}
Task { for await event in player.events { say("\(event)") } }
let (lines, input) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(64))
Thread.detachNewThread {
  while let line = readLine() { input.yield(line) }
  input.finish()
}
for await line in lines {
  if let asked = question.take() {
    asked.resume(
      returning: line == "everyone"
        ? .activationPreferred : line == "just me" ? .activationDisabled : .cancelled)
  } else {
    Task { do { try await carryOut(line) } catch { say("\(error)") } }
  }
}
await party.leave()
await player.shutDown()

@MainActor func carryOut(_ line: String) async throws {
  let number = line.split(separator: " ").last.flatMap { Double($0) } ?? 0
  switch line.prefix(while: { $0 != " " }) {
  case "film": try await manager.prepareToPlay(films[Int(number)])
  case "play": player.play()
  case "pause": player.pause()
  case "rate": player.rate = number
  case "seek": player.seek(to: MediaTime(seconds: number))
  case "what": try await manager.whatHappened()
  case "where": say("position \(player.currentTime()?.seconds ?? -1)")
  default: try await manager.groupSession?.end()
  }
}

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
