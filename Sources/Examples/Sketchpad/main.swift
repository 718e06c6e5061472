// Sketchpad INVITE NAME: a canvas of characters that a party draws on.
import Foundation
import GroupActivities
import NATSTransport

let name = CommandLine.arguments[2]
let observer = GroupStateObserver()
let canvas = Canvas(strokeColor: String(name.prefix(1))) { canvas in
  var rows = Array(repeating: Array(repeating: " ", count: 40), count: 6)
  for stroke in canvas.strokes {
    for point in stroke.points where (0..<40) ~= point.x && (0..<6) ~= point.y {
      rows[point.y][point.x] = stroke.color
    }
  }
  for row in rows { say("|" + row.joined() + "|") }
  let button = canvas.groupSession == nil && observer.isEligibleForGroupSession
  say("\(canvas.pointCount) points\(button ? ", [share]" : "")")
}
let party = try await Party.join(invite: try Invite(CommandLine.arguments[1]), name: name)
await party.becomeCurrent()
Task {
  for await isEligible in observer.eligibilityUpdates where isEligible { say("[share]") }
}
let (lines, input) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(64))
Thread.detachNewThread {
  while let line = readLine() { input.yield(line) }
  input.finish()
}
for await line in lines {
  let numbers = line.split(separator: " ").compactMap { Int($0) }
  switch line.prefix(while: { $0 != " " }) {
  case "share": try await canvas.startSharing()
  case "reset": try await canvas.reset()
  case "lift": canvas.finishStroke()
  default:
    guard numbers.count == 2 else { continue }
    try await canvas.addPointToActiveStroke(Point(x: numbers[0], y: numbers[1]))
  }
}
await party.leave()

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
