import GroupActivities
import Synchronization
import Timekeeping

/// Coordinates several players in one process with each other, for example the angles of one event.
///
/// The machines that decide are those of a group across the network. Here reports are passed in memory, and this
/// machine's clock is the clock of all participants.
///
/// Mirrors `AVPlaybackCoordinationMedium`, which takes no delegating coordinators; this medium takes nothing else.
public final class PlaybackCoordinationMedium: Sendable {
  enum News: Sendable {
    case report(ParticipantReport, from: Participant.ID)
    case members(Set<Participant.ID>)
  }

  private struct Member {
    weak var coordinator: DelegatingPlaybackCoordinator?
    var report: ParticipantReport?
    var news: AsyncStream<News>.Continuation
  }

  private let members = Mutex<[Participant.ID: Member]>([:])

  /// Creates a medium without coordinators.
  public init() {}

  /// The coordinators that are coordinated with each other, in no order.
  public var connectedPlaybackCoordinators: [DelegatingPlaybackCoordinator] {
    members.withLock { $0.values.compactMap(\.coordinator) }
  }

  /// Connects a coordinator.
  ///
  /// - Returns: the others' latest reports, and the stream of later news.
  func connect(
    _ coordinator: DelegatingPlaybackCoordinator, as id: Participant.ID
  ) -> (reports: [Participant.ID: ParticipantReport], news: AsyncStream<News>) {
    let (news, continuation) = AsyncStream.makeStream(
      of: News.self, bufferingPolicy: .bufferingNewest(1024))
    let reports = members.withLock { members in
      defer { members[id] = Member(coordinator: coordinator, news: continuation) }
      return members.compactMapValues(\.report)
    }
    return (reports, news)
  }

  func disconnect(_ id: Participant.ID) {
    members.withLock { members in
      members.removeValue(forKey: id)?.news.finish()
      let left = Set(members.keys)
      for member in members.values { member.news.yield(.members(left)) }
    }
  }

  func publish(_ report: ParticipantReport, from id: Participant.ID) {
    members.withLock { members in
      guard members[id] != nil else { return }
      members[id]?.report = report
      for (other, member) in members where other != id {
        member.news.yield(.report(report, from: id))
      }
    }
  }
}
