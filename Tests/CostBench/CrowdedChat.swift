import Foundation
import Timekeeping

@testable import GroupActivities

/// The time that chat takes at a participant that lagged while everyone in a crowd reported on seeks.
///
/// The participant's messages are held back until all have been sent, then arrive at once, as on a machine that is busy
/// with the seek of the player itself.
enum CrowdedChat {
  /// Reports of each participant on one seek: it stops, it is ready, it plays.
  private static let reports = 3
  /// The length of a report with its state and proof, in bytes.
  private static let reportLength = 700

  static let header =
    "   size  seeks   messages   chat after ms   all after ms"

  static func measure(size: Int, seeks: Int) async throws -> String {
    let party = try await RealParty.gather(size: size)
    let (members, transports) = (party.members, party.transports)
    try await Task.sleep(for: .seconds(10))
    let late = size - 1
    transports[late].hold()
    let film = GroupSessionID(rawValue: 7)
    let report = Data(repeating: 7, count: reportLength)
    for number in 0..<seeks * reports {
      for member in members.dropLast() {
        await member.setCoordination(report, session: film, isCommand: false)
      }
      // About as long as a seek takes.
      if number % reports == 0 { try await Task.sleep(for: .milliseconds(500)) }
    }
    try await members[1].sendChat("first")
    try await Task.sleep(for: .seconds(10))
    var events = members[late].events.makeAsyncIterator()
    let began = HostTime.now()
    let count = transports[late].release()
    while let event = await events.next() {
      if case .chat = event { break }
    }
    let chat = HostTime.now() - began
    // The reports of all others have been processed when the last of them has.
    let wanted = UInt64(seeks * reports)
    while await !members[late].hasReports(wanted, of: size - 1) {
      try await Task.sleep(for: .milliseconds(1))
    }
    let all = HostTime.now() - began
    await party.end()
    return String(
      format: "%7d %6d %10d %15.1f %14.1f", size, seeks, count, chat.inSeconds * 1000,
      all.inSeconds * 1000)
  }
}

extension Party {
  fileprivate func hasReports(_ version: UInt64, of count: Int) -> Bool {
    machine.roster.values.count { $0.coordination?.version ?? 0 >= version } >= count
  }
}
