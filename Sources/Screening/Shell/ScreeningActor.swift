/// The isolation of everything that one program's screening consists of: its machine, its shell, and the rooms that
/// perform directives.
///
/// They share one actor, so that none of them sees another's state in the middle of a change, and no reading of it
/// has to be awaited.
@globalActor
package actor ScreeningActor {
  package static let shared = ScreeningActor()
}
