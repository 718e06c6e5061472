import Foundation
import Timekeeping

/// The parts of the machine's state.
extension PartyMachine {
  struct Configuration: Sendable {
    var id: Participant.ID
    var epoch: UInt64
    /// The creator's id.
    var party: Participant.ID
    /// The cleaned name (``PartyText/name(_:)``).
    var name: String
    /// A Boolean value that indicates whether this participant joins at once, without any other. Nil for the default:
    /// true for the creator. False for a creator that returns to the participants that it left.
    var opens: Bool?
    var authorship = Authorship.trusting
    /// The key pair for which others seal secrets; nil for one that hides nothing (``KeyExchange/trusting(_:)``).
    var exchange: KeyExchange?
    /// The policy log of the previous stay; nil for none.
    var policyLog: PolicyLog?
    /// The number of this opening, for a creator that opens its party again (``PartyOpening``); else nil.
    var opening: UInt64?
    /// The door through which this participant's user came in; nil for a program of its own.
    var door: Participant.Door?
    var timing = PartyTiming()
    var random = RandomSource.system
  }

  /// The messages that no honest program sends.
  struct Misconduct: Sendable {
    var rejections = PartyRejections()
    var reported = ReportedOffences()
  }

  /// The questions that this participant asked and that aren't answered yet.
  struct Asked: Sendable {
    var probes = SentProbes()
    var questions = OpenQuestions()
  }

  /// The last numbers of this participant's messages that aren't events.
  struct SequenceNumbers: Hashable, Sendable {
    var loose: UInt64 = 0
    var lane: UInt64 = 0
    var beacon: UInt64 = 0
  }

  /// The limits of the work that others can cause.
  struct Allowances: Sendable {
    var application = RateAllowance.application(at: HostTime(nanoseconds: 0))
    var policyLogs = RateAllowance.policyLogs(at: HostTime(nanoseconds: 0))
    var turningAway = RateAllowance.policyLogs(at: HostTime(nanoseconds: 0))
    var roster = RateAllowance.roster(at: HostTime(nanoseconds: 0))
    var meetings = RateAllowance.meetings(at: HostTime(nanoseconds: 0))
    var strangers = RateAllowance.strangers(at: HostTime(nanoseconds: 0))
    var arrivals = RateAllowance.arrivals(at: HostTime(nanoseconds: 0))
    var clock = RateAllowance.clock(at: HostTime(nanoseconds: 0))
    var keys = RateAllowance.keys(at: HostTime(nanoseconds: 0))
    var keyRules = RateAllowance.arrivals(at: HostTime(nanoseconds: 0))
    /// The answers about keys to participants outside the roster.
    var strangerKeys = RateAllowance.arrivals(at: HostTime(nanoseconds: 0))
  }

  /// The arrival of this participant.
  struct OwnArrival: Sendable {
    /// The question to the party whose answer admits a newcomer.
    var question: ArrivalQuestion?
    /// The sessions as the participant that admitted this one reported them, until the group's time is known and they
    /// can be judged by it.
    var offeredSessions: [SessionRegister] = []
    /// The participants that arrived before this one, as others reported them, and their times of arrival.
    var testimonies = ArrivalTestimonies()
    var held = HeldOnArrival()
  }

  /// The participant whose clock is the group's.
  struct Keeper: Hashable, Sendable {
    /// The ``PartyMachine/reference`` at its last update.
    var known: Participant.ID?
    /// The uncertainty of the reference's own time compared with the time that the others use; nonzero only after a
    /// sleep.
    var doubt = Duration.zero
    /// A Boolean value that indicates whether this participant's time jumped while it was the reference.
    var hasJumped = false
    /// The instant since which all others have had another time than this participant, the reference.
    var apartSince: HostTime?
  }

  /// The departures from the party.
  struct Departure: Hashable, Sendable {
    /// The participants that haven't confirmed yet that this one left.
    var unconfirmed: Set<Participant.ID> = []
    /// The creator, after it announced that the relay ends with it, while it isn't the host.
    var relay: Participant.ID?
  }

  struct ArrivalQuestion: Hashable {
    var nonce: UInt64
    var askedAt: HostTime
    var attempts: Int
    /// The participant that answered. The messages of others that it passes on may be older than their own.
    var host: Participant.ID?
    /// The number of participants that it reports.
    var count: Int?
  }
}
