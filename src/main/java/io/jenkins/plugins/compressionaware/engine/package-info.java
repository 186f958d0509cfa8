/**
 * The transfer engine: runs on both agent and controller, and does not depend on Jenkins. The sending end packs files into a tar, splits the tar into blocks,
 * compresses each block into a frame, and sends the frames over lanes. The receiving end reorders and decodes the frames, and extracts the files.
 *
 * <pre>
 * tar -&gt; delta -&gt; send: blocks -&gt; codec (adaptive) -&gt; frames -&gt; lanes and credit (lane, flow)
 *     -&gt; receive: reorder -&gt; decode -&gt; tar -&gt; staging, workspace or framefile
 * </pre>
 */
package io.jenkins.plugins.compressionaware.engine;
